import { describe, expect, it } from 'vitest';
import { type Method, selectDiverse, VectorIndex } from '../../lib/index.ts';
import { clustered, randomUnit, row, seeded } from '../support/vectors.ts';

const dim = 36;
const random = seeded(31);
const values = clustered(400, dim, random, { centres: 30 });
const index = VectorIndex.from(values, { dim });
const queries = randomUnit(5, dim, random);

describe('the fused search and selection', () => {
  it.each<Method>(['dsr', 'dpp-cosine', 'mmr', 'topk'])(
    '%s equals search, then select',
    (method) => {
      const options = { k: 8, candidates: 30, lambda: 0.85, sharpness: 20, method };
      const routed = index.routeSync(queries, options);
      const found = index.searchSync(queries, 30);
      expect(routed.length).toBe(5);
      for (const [q, one] of routed.entries()) {
        expect(one.ids).toEqual(found.ids.subarray(q * 30, (q + 1) * 30));
        const embeddings = new Float32Array(30 * dim);
        for (const [i, id] of one.ids.entries()) embeddings.set(row(values, id, dim), i * dim);
        const dpp = method === 'dsr' || method === 'dpp-cosine';
        const apart = selectDiverse({
          query: row(queries, q, dim),
          embeddings,
          quality: one.similarities.map((a) =>
            dpp ? Math.exp(20 * (a - one.similarities[0]!)) : Math.max(a, 0),
          ),
          k: 8,
          lambda: 0.85,
          method,
        });
        expect([...one.order]).toEqual([...apart.order]);
        for (const [t, gain] of apart.gains.entries()) expect(one.gains[t]).toBeCloseTo(gain, 9);
      }
    },
  );

  it('gives the same answer in its sync and async forms', async () => {
    const options = { k: 10, candidates: 50 };
    expect(await index.route(queries, options)).toEqual(index.routeSync(queries, options));
  });

  it('with a very large sharpness is plain top-k, with 0 only the determinant counts', () => {
    const distinct = VectorIndex.from(randomUnit(300, dim, random), { dim });
    const top = distinct.routeSync(queries, { k: 5, sharpness: 1e6 });
    const spread = distinct.routeSync(queries, { k: 5, sharpness: 0 });
    for (const one of top) expect([...one.ranked]).toEqual([0, 1, 2, 3, 4]);
    expect(spread.some((one) => [...one.ranked].join() !== '0,1,2,3,4')).toBe(true);
  });

  it('takes at most 50 candidates unless told otherwise, fewer from a small index', () => {
    expect(index.routeSync(queries, { k: 3 })[0]!.ids.length).toBe(50);
    const small = VectorIndex.from(values.subarray(0, 7 * dim), { dim });
    expect(small.routeSync(queries, { k: 3 })[0]!.ids.length).toBe(7);
  });
});
