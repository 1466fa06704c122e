import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openRoots } from '../../lib/registry/roots.ts';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { syncStore } from '../../lib/registry/sync.ts';
import type { Catalog } from '../../lib/routing/catalog.ts';
import { LiveCatalog } from '../../lib/routing/live-catalog.ts';
import { skillText } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

/** Skills that a registry has in some of its steps. */
const SKILLS = 120;

/**
 * What a registry that changes step by step holds in one of them: every step changes a quarter of the
 * skills, and now and then one is missing. A description holds a word that no other version has.
 */
export function skillsOfStep(step: number): Map<string, string> {
  const skills = new Map<string, string>();
  for (let j = 0; j < SKILLS; j++) {
    const version = Math.floor((step + (j % 4)) / 4);
    if ((version + j) % 5 === 0) continue;
    skills.set(`s${j}`, `${wordOf(j, version)} does its work`);
  }
  return skills;
}

/** Letters alone, so that it is one word to everybody. */
function wordOf(j: number, version: number): string {
  const letters = (n: number) => [...String(n)].map((d) => 'abcdefghij'[Number(d)]).join('');
  return `skill${letters(j)}version${letters(version)}`;
}

/** Makes a folder hold the skills of a step, given that it holds those of the step before, or anything. */
export async function writeStep(root: string, step: number, before?: number): Promise<void> {
  const old = before === undefined ? new Map<string, string>() : skillsOfStep(before);
  const now = skillsOfStep(step);
  for (let j = 0; j < SKILLS; j++) {
    const name = `s${j}`;
    const description = now.get(name);
    if (before !== undefined && description === old.get(name)) continue;
    if (description === undefined) {
      await rm(join(root, name), { recursive: true, force: true });
    } else {
      await mkdir(join(root, name), { recursive: true });
      await writeFile(join(root, name, 'SKILL.md'), skillText(name, description));
    }
  }
}

/** A writer of steps: folder, store, indexes and their files. Calls back once a step is committed. */
export async function writeSteps(
  root: string,
  first: number,
  committed: (step: number) => void,
  isOver: (step: number) => boolean = () => false,
): Promise<void> {
  const encoder = new WordEncoder();
  const store = SkillStore.open(join(root, '.skillspan'));
  let live: LiveCatalog | undefined;
  for (let step = first; !isOver(step); step++) {
    await writeStep(root, step, step === first ? undefined : step - 1);
    await syncStore(store, await openRoots([root]), { encoder });
    committed(step);
    live ??= await LiveCatalog.open(store, encoder);
    await live.refresh();
    await live.save();
  }
  await live?.close();
}

/**
 * Checks that texts, vectors and words of a catalog are those of one step, and answers which.
 * @param probes how many skills are searched for.
 */
export async function stepOf(catalog: Catalog, from: number, probes: number): Promise<number> {
  const cards = catalog.rows().map((row) => ({ row, ...catalog.card(row) }));
  const held = new Map(cards.map(({ name, description }) => [name, description]));
  let step = from;
  while (!isSame(held, skillsOfStep(step))) {
    if (++step > from + 100_000)
      throw new Error(`no step from ${from} on holds ${held.size} skills so`);
  }
  const check = (what: string, is: unknown, should: unknown) => {
    if (is !== should) throw new Error(`step ${step}: ${what} is ${is}, not ${should}`);
  };
  check('number of vectors', catalog.index.size, held.size);
  const encoder = new WordEncoder();
  for (let probe = 0; probe < probes; probe++) {
    const { row, name, description } = cards[(probe * 37 + step) % cards.length]!;
    const vector = await encoder.encode([`${name} | ${description} | `]);
    const nearest = await catalog.index.search(vector, 1);
    check('the nearest vector', nearest.ids[0], row);
    check('its cosine', Math.abs(nearest.scores[0]! - 1) < 1e-5, true);
    const words = catalog.wordsFor('bm25', { texts: [], vectors: undefined })!;
    const [hits] = await words.search([[description.split(' ')[0]!]], 5);
    check('what has its word', hits!.ids.join(), `${row}`);
  }
  return step;
}

function isSame(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, text]) => b.get(name) === text);
}
