import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VectorIndex } from '../../lib/index.ts';
import { cosines } from '../support/oracle.ts';
import { clustered, randomUnit, row, seeded } from '../support/vectors.ts';

/** Two scores closer than this may stand in either order (the library's contract). */
const TOLERANCE = 1e-6;

/** Checks one query's hits against a full float64 scan. */
function expectExact(
  values: Float32Array,
  query: Float32Array,
  ids: Uint32Array,
  scores: Float32Array,
) {
  const all = cosines(values, query);
  const best = [...all].sort((a, b) => b - a);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [place, id] of ids.entries()) {
    expect(Math.abs(all[id]! - best[place]!)).toBeLessThan(TOLERANCE);
    expect(Math.abs(scores[place]! - all[id]!)).toBeLessThan(TOLERANCE);
  }
}

const dims = fc.constantFrom(1, 2, 3, 7, 15, 16, 17, 31, 33, 48, 100, 384);

describe('search', () => {
  it('finds the same where it may be wrong with a probability of 1e-12', async () => {
    const dim = 96;
    const random = seeded(12);
    for (const grouped of [false, true]) {
      const make = (n: number) =>
        grouped ? clustered(n, dim, random, { centres: 60 }) : randomUnit(n, dim, random);
      const values = make(12_000);
      const queries = make(24);
      const certain = VectorIndex.from(values, { dim });
      const probable = VectorIndex.from(values, { dim, exactness: 'probable' });
      expect([certain.exactness, probable.exactness]).toEqual(['certain', 'probable']);
      for (const b of [1, 5, 24]) {
        const some = queries.slice(0, b * dim);
        expect(await probable.search(some, 50)).toEqual(await certain.search(some, 50));
        expect(probable.searchSync(some, 9_000)).toEqual(certain.searchSync(some, 9_000));
      }
    }
  });

  it('finds what a float64 scan finds, on random and clustered vectors of any shape', async () => {
    await fc.assert(
      fc.asyncProperty(
        dims,
        fc.integer({ min: 1, max: 700 }),
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        fc.integer(),
        async (dim, n, b, share, grouped, seed) => {
          const random = seeded(seed);
          const values = grouped ? clustered(n, dim, random) : randomUnit(n, dim, random);
          const queries = randomUnit(b, dim, random);
          const m = 1 + Math.floor(share * (n - 1));
          const { ids, scores } = await VectorIndex.from(values, { dim }).search(queries, m);
          expect(ids.length).toBe(b * m);
          for (let q = 0; q < b; q++) {
            const at = [q * m, (q + 1) * m] as const;
            expectExact(values, row(queries, q, dim), ids.subarray(...at), scores.subarray(...at));
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each([
    ['one query, by coarse codes', 1],
    ['a few, each on a thread', 5],
    ['a batch, as a matrix product', 70],
  ])('is exact in a large index: %s', async (_, b) => {
    const dim = 64;
    const random = seeded(3);
    const values = clustered(20_000, dim, random, { centres: 40 });
    const queries = clustered(b, dim, random, { centres: 40 });
    const { ids, scores } = await VectorIndex.from(values, { dim }).search(queries, 100);
    for (let q = 0; q < b; q++) {
      const at = [q * 100, (q + 1) * 100] as const;
      expectExact(values, row(queries, q, dim), ids.subarray(...at), scores.subarray(...at));
    }
  });

  it('gives ties to the lower id, wherever the copies stand', () => {
    const dim = 24;
    const random = seeded(5);
    const one = randomUnit(1, dim, random);
    const values = randomUnit(3_000, dim, random);
    const copies = [2_999, 17, 1_500, 18, 0];
    for (const id of copies) values.set(one, id * dim);
    const { ids } = VectorIndex.from(values, { dim }).searchSync(one, 5);
    expect([...ids]).toEqual([0, 17, 18, 1_500, 2_999]);
  });

  it('answers a query the same alone and in a batch', () => {
    const dim = 40;
    const random = seeded(6);
    const index = VectorIndex.from(clustered(900, dim, random), { dim });
    const queries = randomUnit(53, dim, random);
    const batch = index.searchSync(queries, 20);
    for (let q = 0; q < 53; q++) {
      const alone = index.searchSync(row(queries, q, dim), 20);
      expect(batch.ids.subarray(q * 20, (q + 1) * 20)).toEqual(alone.ids);
      expect(batch.scores.subarray(q * 20, (q + 1) * 20)).toEqual(alone.scores);
    }
  });

  it.each([4, 20])('finds as many as each of %i queries wants', (b) => {
    const dim = 24;
    const random = seeded(10);
    const n = 900;
    const index = VectorIndex.from(clustered(n, dim, random), { dim });
    const queries = randomUnit(b, dim, random);
    const wanted = Array.from({ length: b }, (_, q) => [1, 30, 7, 2 * n][q % 4]!);
    const { ids, scores, offsets } = index.searchSync(queries, wanted);
    expect([offsets[0], offsets.length, offsets[b]]).toEqual([0, b + 1, ids.length]);
    for (const [q, m] of wanted.entries()) {
      const at = [offsets[q]!, offsets[q + 1]!] as const;
      const alone = index.searchSync(row(queries, q, dim), m);
      expect(alone.ids.length).toBe(Math.min(m, n));
      expect(ids.subarray(...at)).toEqual(alone.ids);
      expect(scores.subarray(...at)).toEqual(alone.scores);
    }
  });

  it('gives the same answer in its sync and async forms', async () => {
    const dim = 33;
    const random = seeded(7);
    const index = VectorIndex.from(randomUnit(500, dim, random), { dim });
    const queries = randomUnit(4, dim, random);
    expect(await index.search(queries, 9)).toEqual(index.searchSync(queries, 9));
  });

  it('measures cosine, whatever the norms of vectors and queries', () => {
    const dim = 20;
    const random = seeded(8);
    const values = randomUnit(200, dim, random).map((v, i) => v * (1 + Math.floor(i / dim)));
    const query = randomUnit(1, dim, random).map((v) => v * 1e-20);
    const { ids, scores } = VectorIndex.from(values, { dim }).searchSync(query, 50);
    expectExact(values, query, ids, scores);
  });

  it('reads subarrays at their own offset', () => {
    const dim = 8;
    const random = seeded(9);
    const values = randomUnit(10, dim, random);
    const index = VectorIndex.from(values.subarray(4 * dim), { dim });
    expect(index.size).toBe(6);
    const { ids, scores } = index.searchSync(values.subarray(7 * dim, 8 * dim), 1);
    expect(ids[0]).toBe(3);
    expect(scores[0]).toBeCloseTo(1, 6);
  });

  it('keeps its own copy of the vectors', () => {
    const values = Float32Array.from([1, 0, 0, 1]);
    const index = VectorIndex.from(values, { dim: 2 });
    values.fill(0);
    expect(index.searchSync(Float32Array.from([0, 1]), 1).ids[0]).toBe(1);
  });
});
