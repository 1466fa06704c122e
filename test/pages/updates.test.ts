import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { compilePages } from '../../lib/pages/compile.ts';
import { CorpusStatistics } from '../../lib/pages/corpus-statistics.ts';
import type { Page } from '../../lib/pages/page.ts';
import { PageFile } from '../../lib/pages/page-file.ts';
import { pagesStatus } from '../../lib/pages/status.ts';
import { updatedUnits } from '../../lib/pages/updates.ts';
import type { Skill } from '../../lib/registry/registry.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { clustered, row, seeded } from '../support/vectors.ts';
import { skill } from './samples.ts';

const dim = 32;
const n = 600;
const vectors = clustered(n + 6, dim, seeded(5), { centres: 150, spread: 0.35, copies: 0 });
// The last six lie where skill 0 lies, but for one.
for (let i = 0; i < 5; i++) vectors.set(row(vectors, 0, dim), (n + i) * dim);
const all: Skill[] = [...Array(n + 6).keys()].map((i) =>
  skill(`skill-${i}`, `Does thing ${i} well.`),
);
const skills = all.slice(0, n);
const options = { dim, distance: 0.1 };

let store: PageFile;
let pages: ReadonlyMap<string, Page>;

const ids = (units: readonly (readonly Skill[])[]) =>
  units
    .map((unit) =>
      unit
        .map(({ id }) => id)
        .sort()
        .join(' '),
    )
    .sort();
const some = (rows: readonly number[]) => ({
  skills: rows.map((i) => all[i]!),
  vectors: Float32Array.from(rows.flatMap((i) => [...row(vectors, i, dim)])),
});
const rowsTo = (end: number) => [...Array(end).keys()];

beforeAll(async () => {
  store = new PageFile(join(await temporaryFolder(), 'pages.jsonl'));
  const { units, clustered: touched } = await updatedUnits(
    skills,
    some(rowsTo(n)).vectors,
    new Map(),
    options,
  );
  expect(touched).toBe(n);
  expect(units.some(({ length }) => length > 3)).toBe(true);
  await compilePages(units, { store, statistics: await CorpusStatistics.of(skills) });
  pages = await store.load();
});

const parted = async (rows: readonly number[], changed: readonly Skill[] = []) => {
  const now = some(rows);
  const byId = new Map(changed.map((one) => [one.id, one]));
  const present = now.skills.map((one) => byId.get(one.id) ?? one);
  return { present, ...(await updatedUnits(present, now.vectors, pages, options)) };
};

describe('updates of a registry', () => {
  it('touch nothing where nothing has changed', async () => {
    const { units, clustered: touched, present } = await parted(rowsTo(n));
    expect(touched).toBe(0);
    expect(units.flat().length).toBe(n);
    const status = pagesStatus(present, pages);
    expect(status.skills.current.length).toBe(n);
    expect(status.orphans).toEqual([]);
  });

  it('touch of an added skill only what is near it', async () => {
    const before = ids((await parted(rowsTo(n))).units);
    const { units, clustered: touched, present } = await parted(rowsTo(n + 1));
    expect(touched).toBeLessThan(40);
    expect(units.flat().length).toBe(n + 1);
    const changed = ids(units).filter((unit) => !before.includes(unit));
    expect(changed.some((unit) => unit.includes('skills/skill-600'))).toBe(true);
    expect(changed.join(' ').split(' ').length).toBeLessThanOrEqual(touched);

    // Only these are compiled, and then only pages of these say so.
    const report = await compilePages(units, {
      store: new PageFile(join(await temporaryFolder(), 'other.jsonl')),
      statistics: await CorpusStatistics.of(present),
    });
    expect(report.compiled).toBe(units.length);
    const copy = new PageFile(join(await temporaryFolder(), 'pages.jsonl'));
    await copy.append([...pages.values()]);
    const second = await compilePages(units, {
      store: copy,
      statistics: await CorpusStatistics.of(present),
    });
    expect(second.compiled).toBe(changed.length);
    expect(pagesStatus(present, await copy.load()).skills.current.length).toBe(n + 1);
  });

  it('find a neighbourhood among skills that are all new', async () => {
    const { units } = await parted(rowsTo(n + 6));
    const home = units.find((unit) => unit.some(({ id }) => id === 'skills/skill-600'))!;
    expect(home.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['skills/skill-601', 'skills/skill-604']),
    );
  });

  it('take a changed skill for a new one, and tell its neighbours so', async () => {
    const unit = (await parted(rowsTo(n))).units.find(({ length }) => length > 3)!;
    const changed = { ...unit[0]!, contentHash: 'c'.repeat(64) };
    const { units, clustered: touched, present } = await parted(rowsTo(n), [changed]);
    expect(touched).toBeGreaterThanOrEqual(unit.length);
    expect(touched).toBeLessThan(60);
    expect(units.flat().length).toBe(n);
    const { skills: states } = pagesStatus(present, pages);
    expect(states.stale).toEqual([changed.id]);
    expect(states['neighbours-changed'].length).toBe(unit.length - 1);
  });

  it('notice what has gone, and leave no neighbourhood too small', async () => {
    const unit = (await parted(rowsTo(n))).units.find(({ length }) => length === 3)!;
    const gone = unit[1]!.id;
    const rows = rowsTo(n).filter((i) => all[i]!.id !== gone);
    const { units, clustered: touched, present } = await parted(rows);
    expect(touched).toBe(0);
    expect(units.filter(({ length }) => length === 2)).toEqual([]);
    const status = pagesStatus(present, pages);
    expect(status.orphans).toEqual([gone]);
    expect(status.skills['neighbours-changed'].length).toBe(2);
  });

  it('know pages that are missing, and those that are not what was asked for', () => {
    const first = all[n]!;
    const second = skills[1];
    const fallen = {
      ...pages.get(second!.id)!,
      provenance: { ...pages.get(second!.id)!.provenance, fallback: 'no' },
    };
    const single = [...pages.values()].find(({ provenance }) => provenance.members.length === 1)!;
    const alone = skills.find(({ id }) => id === single.skill)!;
    const fell = { ...single, provenance: { ...single.provenance, fallback: 'no' } };
    const { skills: states } = pagesStatus(
      [first, alone],
      new Map([
        [alone.id, fell],
        [fallen.skill, fallen],
      ]),
    );
    expect(states.missing).toEqual([first.id]);
    expect(states.fallback).toEqual([alone.id]);
  });
});
