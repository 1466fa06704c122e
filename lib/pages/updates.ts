import type { Skill } from '../registry/registry.ts';
import { rowsAt } from '../rows.ts';
import { VectorIndex } from '../vector-index.ts';
import {
  findNeighbourhoods,
  type NeighbourhoodOptions,
  type NeighbourhoodSettings,
  readSettings,
} from './neighbourhoods.ts';
import type { Page } from './page.ts';
import { type Unit, unitsOf } from './units.ts';

/** Rows near a new skill among which its neighbours are looked for: more than any neighbourhood has. */
const NEAREST = 64;

/** Units of a registry, and how many of its skills were clustered anew for it. */
export interface UpdatedUnits {
  readonly units: readonly Unit[];
  readonly clustered: number;
}

/**
 * The units of a registry whose pages say how it was parted before. Skills that are new or changed are
 * clustered with the neighbourhoods and single skills that they lie within the cut of; all others stay as they
 * are, so that adding a skill touches only what is near it. Without pages everything is clustered.
 * @param vectors skills.length × dim, row-major, of norm 1.
 */
export async function updatedUnits(
  skills: readonly Skill[],
  vectors: Float32Array,
  pages: ReadonlyMap<string, Page>,
  options: NeighbourhoodOptions,
): Promise<UpdatedUnits> {
  const { dim, onProgress, signal, ...settings } = options;
  const { known, loose } = partition(skills, pages, settings);
  if (known.length === 0) {
    const found = await findNeighbourhoods(vectors, options);
    return { units: unitsOf(skills, found), clustered: skills.length };
  }
  const touched = await groupsNear(loose, known, vectors, options);
  const rows = [...loose, ...[...touched].flatMap((g) => known[g]!)].sort((a, b) => a - b);
  const kept = known.filter((_, g) => !touched.has(g)).map((group) => toUnit(group, skills));
  if (rows.length === 0) return { units: kept, clustered: 0 };
  const found = await findNeighbourhoods(rowsAt(vectors, dim, rows), {
    ...settings,
    dim,
    buckets: 1,
    ...(signal && { signal }),
  });
  const near = rows.map((row) => skills[row]!);
  return { units: [...kept, ...unitsOf(near, found)], clustered: rows.length };
}

/** Groups that pages tell of, single skills as groups of one, and the rows that belong to none yet. */
function partition(
  skills: readonly Skill[],
  pages: ReadonlyMap<string, Page>,
  settings: NeighbourhoodSettings,
): { known: number[][]; loose: number[] } {
  const { minSize } = readSettings(skills.length, settings);
  const groups = new Map<string, number[]>();
  const loose: number[] = [];
  for (const [row, { id, contentHash }] of skills.entries()) {
    const page = pages.get(id);
    if (page?.contentHash !== contentHash) {
      loose.push(row);
      continue;
    }
    // Pages of one unit were written together: the members are its name.
    const key = page.provenance.members.map(({ skill }) => skill).join('\n');
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const known = [...groups.values()];
  return {
    // What is left of a neighbourhood that lost members may be too small for one.
    known: known.flatMap((rows) => (rows.length < minSize ? rows.map((row) => [row]) : [rows])),
    loose,
  };
}

function toUnit(rows: readonly number[], skills: readonly Skill[]): Unit {
  return rows.map((row) => skills[row]!);
}

/** The groups whose mean cosine distance to a loose row is below the cut. */
async function groupsNear(
  loose: readonly number[],
  groups: readonly (readonly number[])[],
  vectors: Float32Array,
  { dim, signal, ...settings }: NeighbourhoodOptions,
): Promise<Set<number>> {
  const near = new Set<number>();
  if (loose.length === 0) return near;
  const { distance } = readSettings(1, settings);
  const groupOf = new Map(groups.flatMap((rows, g) => rows.map((row) => [row, g] as const)));
  const index = VectorIndex.from(vectors, { dim });
  const vector = (row: number) => vectors.subarray(row * dim, (row + 1) * dim);
  const m = Math.min(NEAREST, index.size);
  const { ids, scores } = await index.search(
    rowsAt(vectors, dim, loose),
    m,
    signal ? { signal } : {},
  );
  for (const [i, row] of loose.entries()) {
    const candidates = new Set<number>();
    for (let at = i * m; at < (i + 1) * m; at++) {
      // A mean below the cut needs one distance below it.
      const group = groupOf.get(ids[at]!);
      if (group !== undefined && 1 - scores[at]! < distance) candidates.add(group);
    }
    for (const group of candidates) {
      const members = groups[group]!;
      const sum = members.reduce((total, other) => total + 1 - dot(vector(row), vector(other)), 0);
      if (sum / members.length < distance) near.add(group);
    }
  }
  return near;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let t = 0; t < a.length; t++) sum += a[t]! * b[t]!;
  return sum;
}
