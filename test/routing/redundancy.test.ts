import { describe, expect, it } from 'vitest';
import { VectorIndex } from '../../lib/index.ts';
import { DEFAULT_SETTINGS, defaultSettings } from '../../lib/routing/recipe.ts';
import { redundancyOf } from '../../lib/routing/redundancy.ts';
import { normalised, randomUnit, seeded } from '../support/vectors.ts';

function measured(vectors: Float32Array, dim: number): number {
  const n = vectors.length / dim;
  const mean = new Float32Array(dim);
  for (const [i, x] of vectors.entries()) mean[i % dim]! += x / n;
  const gather = (rows: readonly number[]) =>
    Float32Array.from(rows.flatMap((row) => [...vectors.subarray(row * dim, (row + 1) * dim)]));
  return redundancyOf([...Array(n).keys()], gather, mean, VectorIndex.from(vectors, { dim }));
}

describe('redundancy', () => {
  it('is 0 for skills that have nothing in common, as for a single one', () => {
    const dim = 8;
    const axes = new Float32Array(dim * dim);
    for (let i = 0; i < dim; i++) axes[i * dim + i] = 1;
    // Pairs of axes are at right angles; each with itself is what lifts the mean.
    expect(measured(axes, dim)).toBeCloseTo(-1 / 7, 6);
    expect(measured(axes.subarray(0, dim), dim)).toBe(0);
  });

  it('is 1 where every skill has a copy, and where all are the same', () => {
    const rows = randomUnit(50, 16, seeded(5));
    const twice = new Float32Array(rows.length * 2);
    twice.set(rows);
    twice.set(rows, rows.length);
    expect(measured(twice, 16)).toBeCloseTo(1, 5);
    expect(
      measured(
        Float32Array.from({ length: 12 }, (_, i) => (i % 4 ? 0 : 1)),
        4,
      ),
    ).toBe(1);
  });

  it('does not depend on what all skills share', () => {
    const rows = randomUnit(400, 32, seeded(7));
    const shifted = normalised(
      rows.map((x, i) => x + (i % 32 === 0 ? 2 : 0)),
      32,
    );
    expect(Math.abs(measured(rows, 32) - measured(shifted, 32))).toBeLessThan(0.15);
  });
});

describe('the default sharpness', () => {
  it('grows as redundancy falls, from one bound to the other', () => {
    const at = (redundancy: number) => defaultSettings(redundancy).sharpness;
    expect([at(1), at(0.6), at(0.35), at(-0.1)]).toEqual([15, 15, 30, 30]);
    expect(at(0.475)).toBeCloseTo(22.5, 9);
    expect({ ...defaultSettings(0), sharpness: 15 }).toEqual(DEFAULT_SETTINGS);
  });
});
