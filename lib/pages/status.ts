import type { Skill } from '../registry/registry.ts';
import type { Page } from './page.ts';

/**
 * - `current`: the page describes the skill and the neighbours as they are.
 * - `fallback`: it does, but is not what was asked for.
 * - `stale`: the skill's content has changed.
 * - `neighbours-changed`: one that it was compared with has changed or gone, or a new one has come.
 * - `missing`: there is none.
 */
export type PageState = 'current' | 'fallback' | 'stale' | 'neighbours-changed' | 'missing';

export interface PagesStatus {
  /** Ids of the skills in each state, in the order of the registry. */
  readonly skills: Readonly<Record<PageState, readonly string[]>>;
  /** Ids that have a page and are no longer in the registry. */
  readonly orphans: readonly string[];
}

/** How far the pages of a registry are still true. */
export function pagesStatus(
  skills: readonly Skill[],
  pages: ReadonlyMap<string, Page>,
): PagesStatus {
  const hashes = new Map(skills.map(({ id, contentHash }) => [id, contentHash]));
  const states: Record<PageState, string[]> = {
    current: [],
    fallback: [],
    stale: [],
    'neighbours-changed': [],
    missing: [],
  };
  for (const skill of skills) states[stateOf(skill, pages, hashes)].push(skill.id);
  return { skills: states, orphans: [...pages.keys()].filter((id) => !hashes.has(id)) };
}

function stateOf(
  { id, contentHash }: Skill,
  pages: ReadonlyMap<string, Page>,
  hashes: ReadonlyMap<string, string>,
): PageState {
  const page = pages.get(id);
  if (!page) return 'missing';
  if (page.contentHash !== contentHash) return 'stale';
  const { members, fallback } = page.provenance;
  const key = JSON.stringify(members);
  const stands = members.every(
    (member) =>
      hashes.get(member.skill) === member.contentHash &&
      // A neighbour that was compared anew was compared with others.
      JSON.stringify(pages.get(member.skill)?.provenance.members) === key,
  );
  if (!stands) return 'neighbours-changed';
  return fallback === null ? 'current' : 'fallback';
}
