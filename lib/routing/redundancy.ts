import type { VectorIndex } from '../vector-index.ts';

/** Skills whose nearest neighbour is looked for; the median of 64 moves by about 0.02. */
const SAMPLE = 64;

/**
 * How redundant a registry is: the median, over a sample of its skills, of the cosine with the nearest
 * other skill, on a scale where 0 is the mean cosine of all pairs and 1 is a copy.
 * @param vectors rows of norm 1, the index's under the ids 0 to n − 1.
 * @param mean of all rows.
 */
export function redundancyOf(
  vectors: Float32Array,
  mean: Float32Array,
  index: VectorIndex,
): number {
  const { dim, size } = index;
  const sampled = Math.min(SAMPLE, size);
  if (size < 2) return 0;
  const rows = Array.from({ length: sampled }, (_, i) => Math.floor((i * size) / sampled));
  const queries = new Float32Array(sampled * dim);
  for (const [i, row] of rows.entries()) {
    queries.set(vectors.subarray(row * dim, (row + 1) * dim), i * dim);
  }
  const { ids, scores } = index.searchSync(queries, 2);
  const nearest = rows.map((row, i) => scores[2 * i + (ids[2 * i] === row ? 1 : 0)]!);
  nearest.sort((a, b) => a - b);
  const median = nearest[sampled >> 1]!;
  const background = mean.reduce((sum, x) => sum + x * x, 0);
  // Where all are alike there is no scale; nothing is then more redundant.
  return background < 1 - 1e-6 ? (median - background) / (1 - background) : 1;
}
