import { backend, settle } from '../backend.ts';
import type { LongJob } from '../contract.ts';
import { numberBetween, rowCount, wholeNumber } from '../validate.ts';

/** Rows that a bucket has on average where nothing else is said: enough to find neighbours in. */
const ROWS_A_BUCKET = 400;
const MOST_BUCKETS = 200;

/** How often a long job is asked how far it has come, in milliseconds. */
const POLL = 100;

export interface NeighbourhoodSettings {
  /**
   * Clusters of k-means within which neighbourhoods are looked for, at least 1, capped by the number of
   * rows. Neighbours in different buckets do not find each other, so fewer are better and slower.
   * Default: one for every 400 rows, at most 200.
   */
  buckets?: number;
  /** Groups whose mean cosine distance is below it are one neighbourhood, in [0, 2]. Default 0.15. */
  distance?: number;
  /** A larger neighbourhood is split, at least 3. Default 10. */
  maxSize?: number;
  /** Rows of a smaller one are single, from 2 to (maxSize + 1) / 2. Default 3. */
  minSize?: number;
  /** Of k-means++. Default 1. */
  seed?: number;
}

export interface NeighbourhoodOptions extends NeighbourhoodSettings {
  /** Numbers in a row. */
  dim: number;
  /** Called some times a second with the work done so far. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** A partition of the rows. */
export interface Neighbourhoods {
  /** By their lowest row; the rows of each ascend. */
  readonly groups: readonly (readonly number[])[];
  /** Rows that have too few neighbours, ascending. */
  readonly singles: readonly number[];
  /** The bucket of every row. */
  readonly buckets: Uint32Array;
}

/**
 * Groups of vectors that are easily confused (arXiv 2608.04482): spherical k-means into buckets, average
 * linkage within each, cut at a cosine distance, groups that are too large split until none is. The
 * answer is the same for every number of threads and every instruction set. Off the event loop.
 * @param vectors n × dim, row-major, copied. Rows of norm other than 1 count by their direction.
 * @throws {SkillspanError} `ERR_DIMENSION`, `ERR_NOT_FINITE`, `ERR_ZERO_VECTOR`, `ERR_OUT_OF_RANGE`,
 *   `ERR_INVALID_ARGUMENT`; `ERR_NATIVE_LOAD` on the baseline.
 */
export async function findNeighbourhoods(
  vectors: Float32Array,
  { dim, onProgress, signal, ...settings }: NeighbourhoodOptions,
): Promise<Neighbourhoods> {
  wholeNumber('dim', dim, 1, 0xffff_ffff);
  const rows = rowCount('vectors', vectors, dim);
  const { buckets, distance, maxSize, minSize, seed } = readSettings(rows, settings);
  const found = await watched(
    () =>
      backend().findNeighbourhoodsAsync(vectors, dim, buckets, distance, maxSize, minSize, seed),
    onProgress,
    signal,
  );
  const groups: number[][] = [];
  let first = 0;
  for (const size of found.sizes) {
    groups.push([...found.rows.subarray(first, first + size)]);
    first += size;
  }
  const grouped = new Set(found.rows);
  const singles = Array.from(found.buckets.keys()).filter((row) => !grouped.has(row));
  return { groups, singles, buckets: found.buckets };
}

/**
 * The settings that so many rows are clustered with, defaults filled in.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE`.
 */
export function readSettings(
  rows: number,
  settings: NeighbourhoodSettings = {},
): Required<NeighbourhoodSettings> {
  const maxSize = wholeNumber('maxSize', settings.maxSize ?? 10, 3, 1_000_000);
  const fewest = Math.min(MOST_BUCKETS, Math.ceil(rows / ROWS_A_BUCKET));
  return {
    buckets: wholeNumber('buckets', settings.buckets ?? fewest, 1, 1_000_000),
    distance: numberBetween('distance', settings.distance ?? 0.15, 0, 2),
    maxSize,
    minSize: wholeNumber('minSize', settings.minSize ?? 3, 2, Math.floor((maxSize + 1) / 2)),
    seed: wholeNumber('seed', settings.seed ?? 1, 0, 0xffff_ffff),
  };
}

/** Sizes of neighbourhoods, and what has none. */
export interface NeighbourhoodStatistics {
  readonly rows: number;
  readonly buckets: number;
  readonly neighbourhoods: number;
  readonly singles: number;
  /** Of all rows, in [0, 1]. */
  readonly singleShare: number;
  /** Rows a neighbourhood; undefined without one. */
  readonly meanSize: number | undefined;
  /** How many neighbourhoods there are of each size, ascending. */
  readonly sizes: Readonly<Record<number, number>>;
}

export function neighbourhoodStatistics({
  groups,
  singles,
  buckets,
}: Neighbourhoods): NeighbourhoodStatistics {
  const rows = buckets.length;
  const sizes: Record<number, number> = {};
  for (const { length } of groups) sizes[length] = (sizes[length] ?? 0) + 1;
  return {
    rows,
    buckets: new Set(buckets).size,
    neighbourhoods: groups.length,
    singles: singles.length,
    singleShare: singles.length / rows,
    meanSize: groups.length === 0 ? undefined : (rows - singles.length) / groups.length,
    sizes,
  };
}

async function watched<T>(
  start: () => LongJob<T>,
  onProgress: ((done: number, total: number) => void) | undefined,
  signal: AbortSignal | undefined,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await settle(() => {
      const job = start();
      if (onProgress) timer = setInterval(() => onProgress(job.progress(), 1_000), POLL);
      return job;
    }, signal);
  } finally {
    clearInterval(timer);
  }
}
