import { describe, expect, it } from 'vitest';
import { bm25Units, score } from '../../lib/routing/scoring.ts';

const rows = Uint32Array.from([4, 9]);
const options = {
  means: [0.6, 0.5, 0.2],
  cosineWeight: 1,
  lexicalWeight: 0.2,
  units: (x: number) => x,
};

describe('scores', () => {
  it('of a request without facets are cosine and words, less half the mean', () => {
    const pool = { rows, cosines: Float64Array.of(0.7, 0.5), words: Float64Array.of(0, 2) };
    const scores = score(pool, { ...options, texts: 1, means: [0.6] });
    expect(scores.absolute[0]).toBeCloseTo(0.7, 12);
    expect(scores.absolute[1]).toBeCloseTo(0.9, 12);
    expect(scores.relative[0]).toBeCloseTo(0.4, 12);
    expect(scores.relative[1]).toBeCloseTo(0.6, 12);
    expect(scores.served).toBeUndefined();
  });

  it('of facets are a quarter the whole and three quarters the best facet', () => {
    // Whole, facet a, facet b; the second candidate is best at b once means are taken off.
    const pool = {
      rows,
      cosines: Float64Array.of(0.6, 0.6, 0.8, 0.6, 0.4, 0.5),
      words: new Float64Array(6),
    };
    const { relative, absolute, served } = score(pool, { ...options, texts: 3 });
    expect(absolute[0]).toBeCloseTo(0.25 * 0.6 + 0.75 * 0.8, 12);
    expect(absolute[1]).toBeCloseTo(0.25 * 0.6 + 0.75 * 0.6, 12);
    expect(relative[0]).toBeCloseTo(0.25 * 0.3 + 0.75 * 0.55, 12);
    expect(relative[1]).toBeCloseTo(0.25 * 0.3 + 0.75 * 0.4, 12);
    const shares = [1, Math.exp(40 * (0.3 - 0.55))];
    const norm = Math.hypot(...shares);
    expect(served![0]).toBeCloseTo(shares[0]! / norm, 6);
    expect(served![1]).toBeCloseTo(shares[1]! / norm, 6);
    expect(Math.hypot(served![2]!, served![3]!)).toBeCloseTo(1, 6);
    expect(served![3]).toBeGreaterThan(served![2]!);
  });

  it('count BM25 in units that do not depend on the request, and no more than two of them', () => {
    const units = bm25Units(999);
    expect(units(0)).toBe(0);
    expect(units(2.2 * Math.log(1000))).toBeCloseTo(2 * (1 - Math.exp(-0.5)), 12);
    expect(units(1e9)).toBe(2);
  });
});
