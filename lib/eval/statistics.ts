/** Arithmetic mean; NaN of nothing. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  return sum / values.length;
}

/**
 * The p-quantile of at least one value, linear between the two nearest (Hyndman and Fan 1996, type 7).
 * @param sorted ascending.
 * @param p in [0, 1].
 */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return sorted[low]! + (at - low) * (sorted[high]! - sorted[low]!);
}

/** How long something took, in milliseconds. */
export interface Timing {
  /** How often it was measured. */
  readonly n: number;
  readonly median: number;
  readonly p95: number;
}

/** Undefined where nothing was measured. */
export function timing(milliseconds: readonly number[]): Timing | undefined {
  if (milliseconds.length === 0) return undefined;
  const sorted = Float64Array.from(milliseconds).sort();
  return { n: sorted.length, median: quantile(sorted, 0.5), p95: quantile(sorted, 0.95) };
}
