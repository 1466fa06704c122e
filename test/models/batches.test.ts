import { describe, expect, it } from 'vitest';
import { padBatch } from '../../lib/models/batches.ts';

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
