import { unexpected } from '../errors.ts';
import type { PaddedBatch } from './batches.ts';

/**
 * How a text's token states become one vector: the state of its first token, their mean, or the
 * state of its last token. Padding never counts, on whichever side it is.
 */
export type Pooling = 'cls' | 'mean' | 'last';

export const POOLINGS: readonly Pooling[] = ['cls', 'mean', 'last'];

/**
 * Pools token states into one vector per row, not normalised.
 *
 * @param states rows × width × dim, row-major: the model's output for `batch`.
 * @param batch gives the mask; every row has at least one token.
 * @returns rows × dim, row-major.
 */
export function pool(
  states: Float32Array,
  batch: PaddedBatch,
  dim: number,
  pooling: Pooling,
): Float32Array {
  const pooled = new Float32Array(batch.rows * dim);
  for (let row = 0; row < batch.rows; row++) {
    const mask = batch.mask.subarray(row * batch.width, (row + 1) * batch.width);
    const rowStates = states.subarray(row * batch.width * dim);
    const out = pooled.subarray(row * dim, (row + 1) * dim);
    if (pooling === 'mean') {
      mean(rowStates, mask, out);
    } else {
      const token = pooling === 'cls' ? mask.indexOf(1) : mask.lastIndexOf(1);
      out.set(rowStates.subarray(token * dim, (token + 1) * dim));
    }
  }
  return pooled;
}

function mean(states: Float32Array, mask: Uint8Array, out: Float32Array): void {
  const dim = out.length;
  const sums = new Float64Array(dim);
  let count = 0;
  for (let token = 0; token < mask.length; token++) {
    if (mask[token] === 0) continue;
    count++;
    for (let d = 0; d < dim; d++) sums[d]! += states[token * dim + d]!;
  }
  for (let d = 0; d < dim; d++) out[d] = sums[d]! / count;
}

/**
 * Scales a vector to unit L2 norm, in place.
 *
 * @param name what the vector is, for the error message.
 * @throws SkillspanError ERR_NOT_FINITE if a component is NaN or infinite, ERR_ZERO_VECTOR if all
 * are zero: neither has a direction, and both would poison every similarity they meet.
 */
export function normalize(vector: Float32Array, name: string): void {
  let squares = 0;
  for (const component of vector) squares += component * component;
  if (!Number.isFinite(squares)) {
    const culprit = vector.find((component) => !Number.isFinite(component));
    throw unexpected('ERR_NOT_FINITE', name, 'finite components', culprit);
  }
  if (squares === 0) throw unexpected('ERR_ZERO_VECTOR', name, 'a non-zero vector', 'all zeros');
  const scale = 1 / Math.sqrt(squares);
  for (let d = 0; d < vector.length; d++) vector[d]! *= scale;
}
