import { seededRandom } from './random.ts';
import { mean, quantile } from './statistics.ts';

/** A mean difference, and where it lies with a confidence of 95 %. */
export interface Interval {
  readonly difference: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  readonly resamples: number;
  readonly seed: number;
}

/**
 * Paired bootstrap intervals of mean differences (percentile method, Efron and Tibshirani 1993, 13.3; paired
 * over requests as in Sakai, SIGIR 2006). Every column meets the same resamples, so that intervals of
 * different metrics and methods can be compared.
 * @param columns each the n ≥ 1 differences of one metric, a request each: method − baseline.
 * @returns one interval a column.
 */
export function pairedBootstrap(
  columns: readonly ArrayLike<number>[],
  { resamples, seed }: BootstrapOptions,
): Interval[] {
  const n = columns[0]?.length ?? 0;
  const random = seededRandom(seed);
  const counts = new Uint32Array(n);
  const sparse = columns.map(nonZero);
  const means = columns.map(() => new Float64Array(resamples));
  for (let r = 0; r < resamples; r++) {
    counts.fill(0);
    for (let i = 0; i < n; i++) counts[Math.floor(random() * n)]! += 1;
    for (const [c, { places, values }] of sparse.entries()) {
      let sum = 0;
      for (let i = 0; i < places.length; i++) sum += counts[places[i]!]! * values[i]!;
      means[c]![r] = sum / n;
    }
  }
  return columns.map((column, c) => {
    const sorted = means[c]!.sort();
    return {
      difference: mean(column),
      low: quantile(sorted, 0.025),
      high: quantile(sorted, 0.975),
    };
  });
}

/** Two methods agree on most requests: only the others cost time. */
function nonZero(column: ArrayLike<number>): { places: Uint32Array; values: Float64Array } {
  const values = Float64Array.from(column);
  const places = Uint32Array.from(values.keys()).filter((i) => values[i] !== 0);
  return { places, values: Float64Array.from(places, (i) => values[i]!) };
}
