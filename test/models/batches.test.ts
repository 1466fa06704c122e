import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { padBatch, planBatches } from '../../lib/models/batches.ts';

describe('planBatches', () => {
  it('packs similar lengths, longest first', () => {
    expect(planBatches([2, 9, 3, 10, 2], 20)).toEqual([
      [3, 1],
      [2, 0, 4],
    ]);
  });

  it('gives a text over the budget a batch of its own', () => {
    expect(planBatches([1, 50, 1], 20)).toEqual([[1], [0, 2]]);
  });

  it('has nothing to do for no texts', () => {
    expect(planBatches([], 20)).toEqual([]);
  });

  it('places every text once and keeps to the budget', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 80 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 200 }), (all, budget) => {
        const batches = planBatches(all, budget);
        expect(batches.flat().sort((a, b) => a - b)).toEqual(all.map((_, i) => i));
        for (const batch of batches) {
          const padded = batch.length * Math.max(...batch.map((i) => all[i]!));
          expect(batch.length === 1 || padded <= budget).toBe(true);
        }
      }),
    );
  });
});

describe('padBatch', () => {
  const sequences = [{ ids: Int32Array.of(5, 6, 7) }, { ids: Int32Array.of(8) }];

  it('pads on the right', () => {
    expect(padBatch(sequences, 1, 'right')).toEqual({
      rows: 2,
      width: 3,
      ids: Int32Array.of(5, 6, 7, 8, 1, 1),
      mask: Uint8Array.of(1, 1, 1, 1, 0, 0),
    });
  });

  it('pads on the left', () => {
    expect(padBatch(sequences, 1, 'left')).toEqual({
      rows: 2,
      width: 3,
      ids: Int32Array.of(5, 6, 7, 1, 1, 8),
      mask: Uint8Array.of(1, 1, 1, 0, 0, 1),
    });
  });
});
