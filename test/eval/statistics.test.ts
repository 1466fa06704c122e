import { describe, expect, it } from 'vitest';
import { pairedBootstrap, redundancy, sample } from '../../lib/eval/index.ts';
import { seededRandom } from '../../lib/eval/random.ts';
import { quantile, timing } from '../../lib/eval/statistics.ts';
import { dot } from '../support/oracle.ts';
import { randomUnit, row, seeded } from '../support/vectors.ts';

describe('the paired bootstrap', () => {
  const columns = [
    [0, 0, 1, 0, 1, 0, 0, -1],
    [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
  ];

  it('gives the same intervals for the same seed, and others for another', () => {
    const once = pairedBootstrap(columns, { resamples: 500, seed: 7 });
    expect(pairedBootstrap(columns, { resamples: 500, seed: 7 })).toEqual(once);
    expect(pairedBootstrap(columns, { resamples: 500, seed: 8 })).not.toEqual(once);
  });

  it('answers the mean difference, and no width where all differences are equal', () => {
    const [first, second] = pairedBootstrap(columns, { resamples: 2_000, seed: 1 });
    expect(first!.difference).toBe(1 / 8);
    expect(first!.low).toBeLessThan(0);
    expect(first!.high).toBeGreaterThan(1 / 8);
    expect(second).toEqual({ difference: 0.5, low: 0.5, high: 0.5 });
    expect(pairedBootstrap([[0, 0, 0]], { resamples: 10, seed: 1 })).toEqual([
      { difference: 0, low: 0, high: 0 },
    ]);
  });

  it('has the width of the normal approximation where that holds', () => {
    const random = seeded(5);
    const n = 400;
    const values = Array.from({ length: n }, () => random() - 0.3);
    const [interval] = pairedBootstrap([values], { resamples: 4_000, seed: 1 });
    // Uniform on an interval of 1: the standard error is 1 / √(12 n).
    const expected = (2 * 1.96) / Math.sqrt(12 * n);
    expect((interval!.high - interval!.low) / expected).toBeCloseTo(1, 0.9);
  });

  it('holds the true mean in some 95 of 100 cases', () => {
    const random = seeded(11);
    const cases = 400;
    let held = 0;
    for (let c = 0; c < cases; c++) {
      // As differences of coverage are: mostly none, more wins than losses.
      const values = Array.from({ length: 120 }, () => {
        const u = random();
        return u < 0.2 ? 1 : u < 0.3 ? -1 : 0;
      });
      const { low, high } = pairedBootstrap([values], { resamples: 400, seed: c })[0]!;
      if (low <= 0.1 && 0.1 <= high) held += 1;
    }
    expect(held / cases).toBeGreaterThan(0.91);
    expect(held / cases).toBeLessThan(0.985);
  });
});

describe('random samples', () => {
  it('are seeded, of the size wanted, and in the order of the items', () => {
    const items = Array.from({ length: 100 }, (_, i) => i);
    const chosen = sample(items, 20, 3);
    expect(chosen.length).toBe(20);
    expect(chosen).toEqual([...chosen].sort((a, b) => a - b));
    expect(sample(items, 20, 3)).toEqual(chosen);
    expect(sample(items, 20, 4)).not.toEqual(chosen);
    expect(sample(items, 1_000, 3)).toEqual(items);
  });

  it('take every item equally often', () => {
    const counts = new Float64Array(10);
    for (let seed = 0; seed < 3_000; seed++) {
      for (const item of sample([...counts.keys()], 3, seed)) counts[item]! += 1;
    }
    for (const count of counts) expect(Math.abs(count - 900)).toBeLessThan(100);
  });

  it('come from numbers spread evenly over [0, 1)', () => {
    const random = seededRandom(42);
    const values = Array.from({ length: 10_000 }, random).sort((a, b) => a - b);
    expect(values[0]).toBeGreaterThanOrEqual(0);
    expect(values.at(-1)).toBeLessThan(1);
    for (const p of [0.1, 0.5, 0.9]) expect(quantile(values, p)).toBeCloseTo(p, 1.3);
  });
});

describe('quantiles and timings', () => {
  it('lie between the two nearest values', () => {
    expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
    expect(quantile([1, 2, 3, 4], 1)).toBe(4);
    expect(quantile([7], 0.95)).toBe(7);
    expect(timing([3, 1, 2])).toEqual({ n: 3, median: 2, p95: 2.9 });
    expect(timing([])).toBeUndefined();
  });
});

describe('redundancy', () => {
  it('is the mean cosine over the pairs', () => {
    const dim = 16;
    const vectors = randomUnit(6, dim, seeded(2));
    const rows = Array.from({ length: 6 }, (_, i) => row(vectors, i, dim));
    let sum = 0;
    for (const [i, a] of rows.entries()) for (const b of rows.slice(i + 1)) sum += dot(a, b);
    expect(redundancy(rows)).toBeCloseTo(sum / 15, 6);
    expect(redundancy([rows[0]!, rows[0]!])).toBeCloseTo(1, 6);
    expect(redundancy([rows[0]!])).toBeUndefined();
  });
});
