import { describe, expect, it } from 'vitest';
import { type Method, type PoolInput, selectDiverse, VectorIndex } from '../../lib/index.ts';
import { dot, kernel, logDet } from '../support/oracle.ts';
import { clustered, normalised, randomUnit, row, seeded } from '../support/vectors.ts';

const dim = 40;
const random = seeded(61);
const values = clustered(300, dim, random, { centres: 25 });
const index = VectorIndex.from(values, { dim });
const query = randomUnit(1, dim, random);
const ids = Array.from({ length: 60 }, (_, i) => (i * 7 + 3) % 300);
const relevance = Float64Array.from(ids, () => -3 * random());
const embeddings = new Float32Array(60 * dim);
for (const [i, id] of ids.entries()) embeddings.set(row(values, id, dim), i * dim);

const input: PoolInput = { query, ids, relevance, k: 12 };

/** Non-negative, as a softmax over facets is. */
function someFacets(count: number): Float32Array {
  const shares = Float32Array.from({ length: 60 * count }, () => random() ** 6);
  return normalised(shares, count);
}

describe('selection from a pool of ids', () => {
  it.each<Method>(['dsr', 'dpp-cosine', 'mmr', 'topk'])(
    '%s equals selectDiverse over the same vectors',
    async (method) => {
      const dpp = method === 'dsr' || method === 'dpp-cosine';
      const quality = relevance.map((r) => (dpp ? Math.exp(r) : r + 3));
      const apart = selectDiverse({ query, embeddings, quality, k: 12, method, explain: true });
      const options = { ...input, method, explain: true };
      if (!dpp) options.relevance = quality;
      const pooled = index.selectSync(options);
      expect([...pooled.order]).toEqual([...apart.order]);
      expect([...pooled.ranked]).toEqual([...apart.ranked]);
      for (const [t, gain] of apart.gains.entries()) expect(pooled.gains[t]).toBeCloseTo(gain, 9);
      expect(pooled.overlaps!.nearest).toEqual(apart.overlaps!.nearest);
      expect(await index.select(options)).toEqual(pooled);
    },
  );

  it.each([
    [1, 0.3],
    [3, 0.8],
    [9, 1],
  ])('with %d facets of weight %d gains what the determinants say', (count, weight) => {
    const vectors = someFacets(count);
    const { order, gains } = index.selectSync({ ...input, facets: { vectors, count, weight } });
    const phi = kernel(embeddings, query, 0.85).map((line, i) =>
      line.map((own, j) => {
        if (i === j) return 1;
        const shared = dot(row(vectors, i, count), row(vectors, j, count));
        return (1 + (1 - weight) * (2 * own - 1) + weight * shared) / 2;
      }),
    );
    const chosen: number[] = [];
    for (const [t, i] of order.entries()) {
      const before = logDet(phi, chosen);
      const gain = (j: number) => 2 * relevance[j]! + logDet(phi, [...chosen, j]) - before;
      expect(gains[t]).toBeCloseTo(gain(i), 5);
      for (let j = 0; j < 60; j++) {
        if (!chosen.includes(j)) expect(gain(j)).toBeLessThan(gains[t]! + 1e-5);
      }
      chosen.push(i);
    }
    expect(chosen.length).toBeGreaterThan(2);
  });

  it('with facets of no weight is the same as without', () => {
    const facets = { vectors: someFacets(4), count: 4, weight: 0 };
    const { order, gains } = index.selectSync({ ...input, facets });
    const plain = index.selectSync(input);
    expect(order).toEqual(plain.order);
    for (const [t, gain] of plain.gains.entries()) expect(gains[t]).toBeCloseTo(gain, 9);
  });

  it('puts the serving of different facets before vectors that differ', () => {
    // Two copies that serve different needs, and one far off that serves the first need again.
    const three = VectorIndex.from(Float32Array.from([1, 0, 1, 0, 0, 1]), { dim: 2 });
    const pool = {
      query: Float32Array.from([1, 1]),
      ids: [0, 1, 2],
      relevance: Float64Array.from([0, -0.1, -0.1]),
      k: 2,
      lambda: 0,
    };
    const vectors = Float32Array.from([1, 0, 0, 1, 1, 0]);
    expect([...three.selectSync(pool).order]).toEqual([0, 2]);
    const facets = { vectors, count: 2, weight: 0.9 };
    expect([...three.selectSync({ ...pool, facets }).order]).toEqual([0, 1]);
  });
});

describe('selection from a pool refuses', () => {
  const cases: [string, () => unknown, string, string][] = [
    [
      'an id that is not there',
      () => index.selectSync({ ...input, ids: [300], relevance: new Float64Array(1), k: 1 }),
      'ERR_OUT_OF_RANGE',
      'ids: expected ids of the index, got others',
    ],
    [
      'another number of relevances',
      () => index.selectSync({ ...input, relevance: new Float64Array(3) }),
      'ERR_DIMENSION',
      'relevance: expected a Float64Array of 60 numbers, one an id, got Float64Array(24 bytes)',
    ],
    [
      'a relevance that is no number',
      () => index.selectSync({ ...input, relevance: relevance.map(() => Number.NaN) }),
      'ERR_OUT_OF_RANGE',
      'relevance[0]: expected a number, got NaN',
    ],
    [
      'k > M',
      () => index.selectSync({ ...input, k: 61 }),
      'ERR_OUT_OF_RANGE',
      'k: expected a whole number from 1 to 60, got 61',
    ],
    [
      'two queries',
      () => index.selectSync({ ...input, query: randomUnit(2, dim, random) }),
      'ERR_DIMENSION',
      'query: expected one row, got 2',
    ],
    [
      'facets of another pool',
      () =>
        index.selectSync({
          ...input,
          facets: { vectors: new Float32Array(10), count: 2, weight: 0.5 },
        }),
      'ERR_DIMENSION',
      'facets.vectors: expected 60 rows of 2 numbers, one an id, got Float32Array(40 bytes)',
    ],
    [
      'a weight above 1',
      () =>
        index.selectSync({
          ...input,
          facets: { vectors: new Float32Array(60), count: 1, weight: 2 },
        }),
      'ERR_OUT_OF_RANGE',
      'facets.weight: expected a number from 0 to 1, got 2',
    ],
  ];
  it.each(cases)('%s', (_what, act, code, message) => {
    let thrown: unknown;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'SkillspanError', code, message });
  });
});
