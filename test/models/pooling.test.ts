import { describe, expect, it } from 'vitest';
import { padBatch } from '../../lib/models/batches.ts';
import { normalize, pool } from '../../lib/models/pooling.ts';

// Two texts, of one and three tokens; states of dim 2. 99 is what padding must not contribute.
const tokens = [{ ids: Int32Array.of(1) }, { ids: Int32Array.of(1, 2, 3) }];
const long = [10, 0, 20, 5, 60, 1];
const right = { batch: padBatch(tokens, 0, 'right'), states: [7, 8, 99, 99, 99, 99, ...long] };
const left = { batch: padBatch(tokens, 0, 'left'), states: [99, 99, 99, 99, 7, 8, ...long] };

describe.each([
  ['right', right],
  ['left', left],
])('pooling with %s padding', (_side, { batch, states }) => {
  it.each([
    ['cls', [7, 8, 10, 0]],
    ['mean', [7, 8, 30, 2]],
    ['last', [7, 8, 60, 1]],
  ] as const)('%s', (pooling, expected) => {
    expect([...pool(Float32Array.from(states), batch, 2, pooling)]).toEqual(expected);
  });
});

describe('normalize', () => {
  it('scales to unit length in place', () => {
    const vector = Float32Array.of(3, 0, -4);
    normalize(vector, 'v');
    expect([...vector]).toEqual([...Float32Array.of(0.6, 0, -0.8)]);
  });

  it('survives components whose squares overflow float32', () => {
    const vector = Float32Array.of(3 * 2 ** 100, 4 * 2 ** 100);
    normalize(vector, 'v');
    expect([...vector]).toEqual([...Float32Array.of(0.6, 0.8)]);
  });

  it('refuses a vector without a direction', () => {
    expect(() => normalize(new Float32Array(3), 'v')).toThrow(
      expect.objectContaining({ code: 'ERR_ZERO_VECTOR', message: expect.stringContaining('v:') }),
    );
  });

  it.each([NaN, Infinity, -Infinity])('refuses %s', (bad) => {
    expect(() => normalize(Float32Array.of(1, bad), 'v')).toThrow(
      expect.objectContaining({
        code: 'ERR_NOT_FINITE',
        message: expect.stringContaining(`${bad}`),
      }),
    );
  });
});
