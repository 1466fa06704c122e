import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitmapOf, VectorIndex } from '../../lib/index.ts';
import { cosine } from '../support/oracle.ts';
import { clustered, randomUnit, row, seeded } from '../support/vectors.ts';

const dim = 12;

/** Checks that hits are the m best of what a plain map holds. */
function expectBest(
  index: VectorIndex,
  vectors: ReadonlyMap<number, Float32Array>,
  query: Float32Array,
  m: number,
  allowed?: ReadonlySet<number>,
) {
  const options = allowed ? { allowed: bitmapOf(allowed) } : {};
  const { ids, scores } = index.searchSync(query, m, options);
  const all = [...vectors]
    .filter(([id]) => !allowed || allowed.has(id))
    .map(([id, vector]) => ({ id, score: cosine(vector, query) }))
    .sort((a, b) => b.score - a.score || a.id - b.id);
  expect(ids.length).toBe(Math.min(m, all.length));
  expect(new Set(ids).size).toBe(ids.length);
  for (const [place, id] of ids.entries()) {
    expect(Math.abs(cosine(vectors.get(id)!, query) - all[place]!.score)).toBeLessThan(1e-6);
    expect(Math.abs(scores[place]! - all[place]!.score)).toBeLessThan(1e-6);
    expect(!allowed || allowed.has(id)).toBe(true);
  }
}

const id = fc.integer({ min: 0, max: 90 });
const change = fc.record({
  added: fc.array(id, { maxLength: 12 }),
  removed: fc.array(id, { maxLength: 12 }),
  later: fc.boolean(),
});

describe('an index that changes', () => {
  it('holds what was added and not removed, whatever came when', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 12 }),
        fc.array(id, { maxLength: 60 }),
        fc.integer(),
        async (changes, allowed, seed) => {
          const random = seeded(seed);
          const index = VectorIndex.empty({ dim });
          const expected = new Map<number, Float32Array>();
          for (const { added, removed, later } of changes) {
            const vectors = randomUnit(added.length, dim, random);
            for (const gone of removed) expected.delete(gone);
            for (const [i, one] of added.entries()) expected.set(one, row(vectors, i, dim));
            if (later) {
              const removing = index.remove(removed);
              expect(await index.add(added, vectors)).toBe(expected.size);
              await removing;
            } else {
              index.removeSync(removed);
              expect(index.addSync(added, vectors)).toBe(expected.size);
            }
          }
          expect(index.size).toBe(expected.size);
          const query = randomUnit(1, dim, random);
          expectBest(index, expected, query, 7);
          expectBest(index, expected, query, 500);
          expectBest(index, expected, query, 7, new Set(allowed));
        },
      ),
      { numRuns: 80 },
    );
  });

  it('gives the ids of its rows to vectors that it was made from, and takes higher ones', () => {
    const random = seeded(1);
    const vectors = randomUnit(20, dim, random);
    const index = VectorIndex.from(vectors, { dim });
    const added = randomUnit(2, dim, random);
    expect(index.addSync([4_294_967_295, 3], added)).toBe(21);
    expect([...index.searchSync(row(added, 0, dim), 1).ids]).toEqual([4_294_967_295]);
    expect([...index.searchSync(row(added, 1, dim), 1).ids]).toEqual([3]);
    expect(index.searchSync(row(vectors, 3, dim), 1).scores[0]).toBeLessThan(0.999);
  });

  it('of equal ids in one call keeps the last, and normalises what it is given', () => {
    const index = VectorIndex.empty({ dim: 2 });
    index.addSync([5, 5], Float32Array.from([1, 0, 0, 3]));
    expect(index.size).toBe(1);
    expect([...index.searchSync(Float32Array.from([0, 2]), 4).scores]).toEqual([1]);
  });

  it('finds nothing in an empty index', async () => {
    const index = VectorIndex.empty({ dim });
    const query = randomUnit(2, dim, seeded(2));
    expect(await index.search(query, 5)).toEqual(index.searchSync(query, 5));
    expect(index.searchSync(query, 5).ids.length).toBe(0);
    const routed = index.routeSync(query, { k: 3 });
    expect(routed.map(({ ids, ranked }) => [ids.length, ranked.length])).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('answers a search in flight from the vectors it was called with', async () => {
    const random = seeded(3);
    const index = VectorIndex.from(randomUnit(20_000, dim, random), { dim });
    const queries = randomUnit(50, dim, random);
    const before = index.searchSync(queries, 9);
    const searching = index.search(queries, 9);
    const removing = index.remove(before.ids);
    expect(await searching).toEqual(before);
    await removing;
    const after = await index.search(queries, 9);
    expect([...after.ids].some((one) => before.ids.includes(one))).toBe(false);
  });

  it('copies vectors when they are added, not when the change is made', async () => {
    const index = VectorIndex.empty({ dim: 2 });
    const vectors = Float32Array.from([1, 0]);
    const adding = index.add([1], vectors);
    vectors.fill(7);
    await adding;
    expect(index.searchSync(Float32Array.from([1, 0]), 1).scores[0]).toBe(1);
  });

  it('changes nothing when one vector of many is bad', () => {
    const index = VectorIndex.from(Float32Array.from([1, 0, 0, 1]), { dim: 2 });
    expect(() => index.addSync([0, 9], Float32Array.from([0, 1, 0, 0]))).toThrow('row 1');
    expect(index.size).toBe(2);
    expect(index.searchSync(Float32Array.from([1, 0]), 1).scores[0]).toBe(1);
  });
});

describe('scores for ids', () => {
  it('are those of a search, and NaN where there is nothing', async () => {
    const random = seeded(7);
    const index = VectorIndex.from(randomUnit(50, dim, random), { dim });
    index.removeSync([4]);
    const queries = randomUnit(3, dim, random);
    const { ids, scores } = index.searchSync(queries, 49);
    const asked = [4, 77, ...ids.subarray(0, 49)];
    const found = index.scoresForSync(queries, asked);
    expect(found.length).toBe(3 * 51);
    expect([...found.subarray(0, 2)]).toEqual([Number.NaN, Number.NaN]);
    for (let i = 0; i < 49; i++) expect(found[2 + i]).toBeCloseTo(scores[i]!, 6);
    expect(await index.scoresFor(queries, asked)).toEqual(found);
    expect(index.scoresForSync(queries, [])).toEqual(new Float64Array(0));
    expect(() => index.scoresForSync(queries, [-1])).toThrow('ids[0]');
  });
});

describe('a filtered search', () => {
  it.each([0.0001, 0.01, 0.1, 0.5, 0.99])('is exact with %d of the ids allowed', (share) => {
    const random = seeded(4);
    const values = clustered(20_000, 64, random, { centres: 200, copies: 0.01 });
    const index = VectorIndex.from(values, { dim: 64 });
    const gone = [0, 31, 32, 9_999, 19_999];
    index.removeSync(gone);
    const allowed = new Set<number>();
    for (let i = 0; i < 20_000; i++) if (random() < share) allowed.add(i);
    const vectors = new Map<number, Float32Array>();
    for (let i = 0; i < 20_000; i++) if (!gone.includes(i)) vectors.set(i, row(values, i, 64));
    const queries = clustered(3, 64, random, { centres: 200 });
    for (let q = 0; q < 3; q++) expectBest(index, vectors, row(queries, q, 64), 30, allowed);
  });

  it('with an empty allow-list finds nothing', () => {
    const index = VectorIndex.from(randomUnit(10, dim, seeded(5)), { dim });
    const query = randomUnit(1, dim, seeded(6));
    const allowed = new Uint32Array(0);
    expect(index.searchSync(query, 3, { allowed }).ids.length).toBe(0);
    expect(index.routeSync(query, { k: 3, allowed })[0]!.ranked.length).toBe(0);
    expect(index.routeSync(query, { k: 3, allowed: bitmapOf([2, 7]) })[0]!.ranked.length).toBe(2);
  });
});
