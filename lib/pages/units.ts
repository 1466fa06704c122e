import { byCodeUnit } from '../registry/order.ts';
import type { Skill } from '../registry/registry.ts';
import type { CorpusStatistics } from './corpus-statistics.ts';
import { compileExtractive, EXTRACTIVE_VERSION } from './extractive.ts';
import type { Member, Page, PageTexts, Provenance } from './page.ts';

/** A neighbourhood, or one skill that has none. */
export type Unit = readonly Skill[];

/** The units of a registry: its neighbourhoods, then every single skill. */
export function unitsOf(
  skills: readonly Skill[],
  found: { readonly groups: readonly (readonly number[])[]; readonly singles: readonly number[] },
): Unit[] {
  return [...found.groups, ...found.singles.map((row) => [row])].map((rows) =>
    rows.map((row) => skills[row]!),
  );
}

/** What a unit's pages are made of, by id. */
export function membersOf(unit: Unit): Member[] {
  return unit
    .map(({ id, contentHash }) => ({ skill: id, contentHash }))
    .sort((a, b) => byCodeUnit(a.skill, b.skill));
}

/** Texts with what they were made of. */
export function toPages(
  unit: Unit,
  texts: readonly PageTexts[],
  how: Pick<Provenance, 'compiler' | 'model' | 'promptVersion' | 'fallback'>,
): Page[] {
  const members = membersOf(unit);
  const date = new Date().toISOString();
  return unit.map(({ id, contentHash }, i) => ({
    skill: id,
    contentHash,
    ...texts[i]!,
    provenance: { ...how, members, date },
  }));
}

/** Pages of one unit without a language model. */
export function extractivePages(
  unit: Unit,
  statistics: CorpusStatistics,
  fallback: string | null = null,
): Page[] {
  return toPages(unit, compileExtractive(unit, statistics), {
    compiler: 'extractive',
    model: null,
    promptVersion: EXTRACTIVE_VERSION,
    fallback,
  });
}
