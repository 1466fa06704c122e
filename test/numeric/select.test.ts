import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Method, type Selection, selectDiverse, selectDiverseAsync } from '../../lib/index.ts';
import { cosine, kernel, logDet } from '../support/oracle.ts';
import { clustered, randomUnit, row, seeded } from '../support/vectors.ts';

interface Problem {
  query: Float32Array;
  embeddings: Float32Array;
  quality: Float32Array;
  k: number;
  lambda: number;
}

/** Below this conditional variance a candidate is redundant; see design: Maths 4. */
const FLOOR = 1e-9;

/**
 * Checks every greedy step against whole determinants: no other candidate gains more, and each gain is
 * the growth of log det L. Differences that float64 rounding can make near the floor are allowed for.
 */
function expectGreedy({ query, embeddings, quality, k, lambda }: Problem, selection: Selection) {
  const phi = kernel(embeddings, query, lambda);
  const m = phi.length;
  const order = [...selection.order];
  let before = 0;
  for (let t = 0; t < order.length; t++) {
    const prefix = order.slice(0, t);
    const gains = Array.from({ length: m }, (_, i) =>
      prefix.includes(i)
        ? Number.NEGATIVE_INFINITY
        : 2 * Math.log(quality[i]!) + logDet(phi, [...prefix, i]) - before,
    );
    const gain = gains[order[t]!]!;
    // log d² amplifies rounding as d² falls: 1e-13 / d² covers what a few hundred steps can add up.
    const slack = 1e-9 + 1e-13 / Math.exp(gain - 2 * Math.log(quality[order[t]!]!));
    expect(selection.gains[t]!).toBeGreaterThan(gain - slack);
    expect(selection.gains[t]!).toBeLessThan(gain + slack);
    expect(gain).toBeGreaterThanOrEqual(Math.max(...gains) - slack);
    before = logDet(phi, [...prefix, order[t]!]);
  }
  if (order.length < k) {
    for (let i = 0; i < m; i++) {
      if (order.includes(i) || quality[i] === 0) continue;
      expect(Math.exp(logDet(phi, [...order, i]) - before)).toBeLessThan(2 * FLOOR);
    }
  }
}

/** What holds for every method: k distinct candidates, ranked by quality with ties to the lower. */
function expectShortlist({ quality, k }: Problem, selection: Selection) {
  const chosen = [...selection.order, ...selection.filled];
  expect(chosen.length).toBe(k);
  expect(new Set(chosen).size).toBe(k);
  const ranked = [...chosen].sort((a, b) => quality[b]! - quality[a]! || a - b);
  expect([...selection.ranked]).toEqual(ranked);
  const left = Array.from(quality.keys()).filter((i) => !selection.order.includes(i));
  left.sort((a, b) => quality[b]! - quality[a]! || a - b);
  expect([...selection.filled]).toEqual(left.slice(0, selection.filled.length));
}

function problem(
  dim: number,
  m: number,
  k: number,
  lambda: number,
  grouped: boolean,
  seed: number,
) {
  const random = seeded(seed);
  return {
    query: randomUnit(1, dim, random),
    embeddings: grouped ? clustered(m, dim, random) : randomUnit(m, dim, random),
    quality: Float32Array.from({ length: m }, () => (random() < 0.05 ? 0 : random())),
    k,
    lambda,
  };
}

const lambdas = fc.constantFrom(0, 0.5, 0.85, 1);
const dims = fc.constantFrom(2, 5, 16, 19, 48, 100);

describe('DSR', () => {
  it('takes the candidate of highest determinant gain at every step', () => {
    fc.assert(
      fc.property(
        dims,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        lambdas,
        fc.boolean(),
        fc.integer(),
        (dim, m, share, lambda, grouped, seed) => {
          const given = problem(dim, m, 1 + Math.floor(share * (m - 1)), lambda, grouped, seed);
          const selection = selectDiverse(given);
          expectShortlist(given, selection);
          expectGreedy(given, selection);
        },
      ),
      { numRuns: 80 },
    );
  });

  it.each([
    [100, 100, 150],
    [500, 40, 64],
    [2_000, 12, 33],
  ])('holds for pools of %i and k = %i', (m, k, dim) => {
    const given = problem(dim, m, k, 0.85, true, m);
    const selection = selectDiverse(given);
    expectShortlist(given, selection);
    expectGreedy(given, selection);
  });

  it('starts with the highest quality', () => {
    const given = problem(32, 50, 10, 0.85, true, 11);
    const best = given.quality.indexOf(Math.max(...given.quality));
    expect(selectDiverse(given).order[0]).toBe(best);
  });

  it('never picks both of two copies before it must', () => {
    const embeddings = randomUnit(6, 20, seeded(12));
    embeddings.copyWithin(5 * 20, 0, 20);
    const selection = selectDiverse({
      query: randomUnit(1, 20, seeded(13)),
      embeddings,
      quality: [1, 0.1, 0.1, 0.1, 0.1, 1],
      k: 5,
      explain: true,
    });
    expect([...selection.order]).not.toContain(5);
    expect(selection.overlaps!.nearest[5]).toBe(0);
    expect(selection.overlaps!.overlap[5]).toBeCloseTo(1, 6);
  });

  it('names, when asked, the other chosen candidate that overlaps each one most', () => {
    const given = problem(24, 30, 6, 0.85, true, 14);
    const { order, overlaps } = selectDiverse({ ...given, explain: true });
    const phi = kernel(given.embeddings, given.query, given.lambda);
    for (let i = 0; i < 30; i++) {
      const most = Math.max(...[...order].filter((j) => j !== i).map((j) => phi[i]![j]!));
      expect(overlaps!.overlap[i]).toBeCloseTo(most, 6);
      expect(phi[i]![overlaps!.nearest[i]!]).toBeCloseTo(most, 6);
    }
    expect(selectDiverse(given).overlaps).toBeUndefined();
  });

  it('counts vectors by direction, not by norm', () => {
    const given = problem(32, 40, 12, 0.85, true, 15);
    const scaled = given.embeddings.map((v, i) => v * (1 + (Math.floor(i / 32) % 7)));
    expect(selectDiverse({ ...given, embeddings: scaled }).order).toEqual(
      selectDiverse(given).order,
    );
  });

  it('gives the same answer in its sync and async forms', async () => {
    const given = problem(48, 80, 20, 0.5, true, 16);
    expect(await selectDiverseAsync(given)).toEqual(selectDiverse(given));
  });

  it('reads subarrays at their own offset', () => {
    const given = problem(16, 20, 5, 0.85, false, 17);
    const embeddings = new Float32Array(7 + given.embeddings.length);
    embeddings.set(given.embeddings, 7);
    const query = new Float32Array(3 + 16);
    query.set(given.query, 3);
    const shifted = { ...given, query: query.subarray(3), embeddings: embeddings.subarray(7) };
    expect(selectDiverse(shifted)).toEqual(selectDiverse(given));
  });
});

describe('the methods people compare with', () => {
  const given = problem(40, 60, 15, 0.7, true, 21);

  it('dpp-cosine is DSR with lambda 0', () => {
    expect(selectDiverse({ ...given, method: 'dpp-cosine' })).toEqual(
      selectDiverse({ ...given, lambda: 0 }),
    );
  });

  it('topk ranks by quality alone', () => {
    const selection = selectDiverse({ ...given, method: 'topk' });
    expectShortlist(given, selection);
    expect(selection.order).toEqual(selection.ranked);
  });

  it('mmr follows its definition step by step', () => {
    const selection = selectDiverse({ ...given, method: 'mmr' });
    expectShortlist(given, selection);
    const chosen: number[] = [];
    for (const [t, pick] of [...selection.order].entries()) {
      const scores = Array.from(given.quality, (q, i) => {
        if (chosen.includes(i)) return Number.NEGATIVE_INFINITY;
        const similarities = chosen.map((j) =>
          cosine(row(given.embeddings, i, 40), row(given.embeddings, j, 40)),
        );
        return 0.7 * q - 0.3 * (chosen.length ? Math.max(...similarities) : 0);
      });
      expect(scores[pick]!).toBeGreaterThanOrEqual(Math.max(...scores) - 1e-9);
      expect(selection.gains[t]).toBeCloseTo(scores[pick]!, 9);
      chosen.push(pick);
    }
  });

  it.each<Method>(['dsr', 'dpp-cosine', 'mmr', 'topk'])('%s takes all when k = M', (method) => {
    const selection = selectDiverse({ ...given, k: 60, method });
    expectShortlist({ ...given, k: 60 }, selection);
  });
});
