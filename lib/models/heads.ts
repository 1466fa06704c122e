import type { PaddedBatch } from './batches.ts';
import { type Pooling, pool } from './pooling.ts';

/** Numbers of a model's output: float32, or float16 as its bits or, where the platform has them, numbers. */
export type OutputData = Float32Array | Uint16Array | ArrayLike<number>;

/** What is made of a model's output, in the thread that runs it, so that little has to leave it. */
export type Head =
  /** Token states become one vector a text. */
  | { readonly kind: 'pool'; readonly pooling: Pooling }
  /** The graph has made one vector a text. */
  | { readonly kind: 'rows' }
  /** Logits become one number a text: logit[plus] − logit[minus], of the last position where there are several. */
  | { readonly kind: 'score'; readonly plus: number; readonly minus?: number };

/**
 * Applies a head.
 * @param dims of the output: rows × width × dim, or rows × dim.
 * @returns one row per text, row-major.
 */
export function applyHead(
  head: Head,
  output: OutputData,
  dims: readonly number[],
  batch: PaddedBatch,
): Float32Array {
  const dim = dims.at(-1)!;
  if (head.kind === 'rows') return toFloat32(output, 0, batch.rows * dim);
  if (head.kind === 'pool') {
    return pool(toFloat32(output, 0, output.length), batch, dim, head.pooling);
  }
  // A graph may have been asked for the last position alone.
  const width = dims.length === 3 ? dims[1]! : 1;
  return Float32Array.from({ length: batch.rows }, (_, row) => {
    const position = width === batch.width && dims.length === 3 ? lastToken(batch, row) : width - 1;
    const start = (row * width + position) * dim;
    const logit = (index: number) => toFloat32(output, start + index, start + index + 1)[0]!;
    return logit(head.plus) - (head.minus === undefined ? 0 : logit(head.minus));
  });
}

function lastToken({ mask, width }: PaddedBatch, row: number): number {
  return mask.subarray(row * width, (row + 1) * width).lastIndexOf(1);
}

/** A stretch of an output as float32, not a copy if it is that already. */
function toFloat32(data: OutputData, start: number, end: number): Float32Array {
  if (data instanceof Float32Array) return data.subarray(start, end);
  if (data instanceof Uint16Array) return Float32Array.from(data.subarray(start, end), fromHalf);
  return Float32Array.from({ length: end - start }, (_, i) => data[start + i]!);
}

/** The number that 16 bits of IEEE 754 binary16 stand for. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
