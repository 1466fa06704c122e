import { EXACTNESSES, type Exactness, METHODS, type Method } from './contract.ts';
import { Prose, unexpected } from './errors.ts';

/** Checks a row-major Float32Array of one or more rows of `dim` numbers; answers the row count. */
export function rowCount(name: string, value: unknown, dim: number): number {
  if (!isTyped(value, 'Float32Array')) {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'a Float32Array', value);
  }
  const { length } = value as Float32Array;
  if (length === 0) {
    throw unexpected(
      'ERR_INVALID_ARGUMENT',
      name,
      dim === 1 ? 'at least one number' : `at least one row of ${dim} numbers`,
      new Prose('an empty or detached array'),
    );
  }
  if (length % dim !== 0) {
    throw unexpected(
      'ERR_DIMENSION',
      name,
      `rows of ${dim} numbers`,
      new Prose(`${length} numbers`),
    );
  }
  return length / dim;
}

/** Checks a whole number in [low, high]. */
export function wholeNumber(name: string, value: unknown, low: number, high: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw unexpected('ERR_OUT_OF_RANGE', name, `a whole number from ${low} to ${high}`, value);
  }
  return value;
}

/** Checks a finite number in [low, high]. */
export function numberBetween(name: string, value: unknown, low: number, high: number): number {
  if (typeof value !== 'number' || !(value >= low && value <= high)) {
    throw unexpected('ERR_OUT_OF_RANGE', name, `a number from ${low} to ${high}`, value);
  }
  return value;
}

export function method(value: unknown): Method {
  if (!METHODS.includes(value as Method)) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'method', `one of ${METHODS.join(', ')}`, value);
  }
  return value as Method;
}

export function exactness(value: unknown): Exactness {
  if (!EXACTNESSES.includes(value as Exactness)) {
    throw unexpected(
      'ERR_INVALID_ARGUMENT',
      'exactness',
      `one of ${EXACTNESSES.join(', ')}`,
      value,
    );
  }
  return value as Exactness;
}

/** Checks m non-negative finite qualities and widens them to float64. */
export function qualities(value: unknown, m: number): Float64Array {
  if (!Array.isArray(value) && !isTyped(value, 'Float32Array') && !isTyped(value, 'Float64Array')) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'quality', 'an array of numbers', value);
  }
  const quality = new Float64Array(value as ArrayLike<number>);
  if (quality.length !== m) {
    throw unexpected(
      'ERR_DIMENSION',
      'quality',
      `${m} numbers, one a row of embeddings`,
      quality.length,
    );
  }
  const bad = quality.findIndex((q) => !(q >= 0 && q < Number.POSITIVE_INFINITY));
  if (bad >= 0) {
    throw unexpected(
      'ERR_OUT_OF_RANGE',
      `quality[${bad}]`,
      'a finite number of at least 0',
      (value as ArrayLike<unknown>)[bad],
    );
  }
  return quality;
}

/** Checks a frequency of a term, which float32 must be able to hold. */
export function frequency(name: string, value: unknown): number {
  if (typeof value !== 'number' || !(Math.fround(value) > 0 && value <= 1e6)) {
    throw unexpected('ERR_OUT_OF_RANGE', name, 'a number above 0 and at most 1000000', value);
  }
  return value;
}

export function text(name: string, value: unknown): void {
  if (typeof value !== 'string') {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'a string', value);
  }
}

/** Ids are 32 bits wide. */
export const HIGHEST_ID = 0xffff_ffff;

/** Checks ids and packs them. */
export function idArray(ids: Iterable<number>): Uint32Array {
  if (typeof ids?.[Symbol.iterator] !== 'function') {
    throw unexpected('ERR_INVALID_ARGUMENT', 'ids', 'numbers', ids);
  }
  if (isTyped(ids, 'Uint32Array')) return Uint32Array.from(ids);
  const list = [...ids];
  const packed = Uint32Array.from(list);
  // Names of places cost more than all the rest: they are made up for the bad ones only.
  const bad = list.findIndex((id, i) => packed[i] !== id);
  if (bad >= 0) wholeNumber(`ids[${bad}]`, list[bad], 0, HIGHEST_ID);
  return packed;
}

/** How many hits each of n queries wants: the same number for all, or one for each. */
export function oneEach(name: string, value: number | readonly number[], n: number): Uint32Array {
  if (!Array.isArray(value)) {
    return new Uint32Array(n).fill(wholeNumber(name, value, 1, 0xffff_ffff));
  }
  if (value.length !== n) {
    throw unexpected('ERR_DIMENSION', name, `${n} numbers, one a query`, value.length);
  }
  for (const [i, one] of value.entries()) wholeNumber(`${name}[${i}]`, one, 1, 0xffff_ffff);
  return Uint32Array.from(value);
}

/** Checks a bitmap; an empty one is a bitmap of nothing. */
export function bitmap(name: string, value: unknown): Uint32Array {
  if (!isTyped(value, 'Uint32Array')) {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'a Uint32Array', value);
  }
  return value as Uint32Array;
}

/** By tag and not by `instanceof`, which fails for arrays of another realm (vm, jest). */
function isTyped(value: unknown, tag: 'Float32Array' | 'Float64Array' | 'Uint32Array'): boolean {
  return (
    ArrayBuffer.isView(value) &&
    (value as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === tag
  );
}
