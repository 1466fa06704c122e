import { describe, expect, it } from 'vitest';
import { padBatch } from '../../lib/models/batches.ts';
import { applyHead, fromHalf } from '../../lib/models/heads.ts';

const sequences = [{ ids: Int32Array.of(1) }, { ids: Int32Array.of(1, 2) }];
const head = { kind: 'score', plus: 0, minus: 1 } as const;

describe('the score head', () => {
  it.each(['left', 'right'] as const)('reads each text’s last token, padded %s', (side) => {
    const own = [5, 1];
    const padding = [99, 0];
    const states = [...(side === 'left' ? [padding, own] : [own, padding]), [7, 7], [9, 2]].flat();
    const batch = padBatch(sequences, 0, side);
    expect([...applyHead(head, Float32Array.from(states), [2, 2, 2], batch)]).toEqual([4, 7]);
  });

  it('reads the only position that a graph kept', () => {
    const batch = padBatch(sequences, 0, 'left');
    expect([...applyHead(head, Float32Array.of(5, 1, 9, 2), [2, 1, 2], batch)]).toEqual([4, 7]);
  });

  it('reads one row a text', () => {
    const batch = padBatch(sequences, 0, 'right');
    const one = { kind: 'score', plus: 1 } as const;
    expect([...applyHead(one, Float32Array.of(5, 1, 9, 2), [2, 2], batch)]).toEqual([1, 2]);
  });
});

it('reads half precision, as bits or as numbers', () => {
  const bits = Uint16Array.of(0x3c00, 0xc000, 0x3555, 0x0001, 0x7c00, 0x0000);
  const values = [1, -2, 0.333251953125, 2 ** -24, Infinity, 0];
  expect([...bits].map(fromHalf)).toEqual(values);
  expect(fromHalf(0x7e00)).toBeNaN();
  const batch = padBatch([{ ids: Int32Array.of(1) }], 0, 'right');
  expect([...applyHead({ kind: 'rows' }, bits, [1, 6], batch)]).toEqual(values);
  expect([...applyHead({ kind: 'rows' }, values, [1, 6], batch)]).toEqual(values.map(Math.fround));
});
