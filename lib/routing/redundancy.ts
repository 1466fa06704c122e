import type { VectorIndex } from '../vector-index.ts';

/** Skills whose nearest neighbour is looked for; the median of 64 moves by about 0.02. */
const SAMPLE = 64;

/**
 * How redundant a registry is: the median, over a sample of its skills, of the cosine with the nearest
 * other skill, on a scale where 0 is the mean cosine of all pairs and 1 is a copy.
 * @param ids all of the index, ascending.
 * @param vectorsOf the vectors of some ids, rows of norm 1, side by side.
 * @param mean of all vectors.
 */
export function redundancyOf(
  ids: readonly number[],
  vectorsOf: (ids: readonly number[]) => Float32Array,
  mean: Float32Array,
  index: VectorIndex,
): number {
  const size = ids.length;
  const count = Math.min(SAMPLE, size);
  if (size < 2) return 0;
  const sampled = Array.from({ length: count }, (_, i) => ids[Math.floor((i * size) / count)]!);
  const found = index.searchSync(vectorsOf(sampled), 2);
  const nearest = sampled.map((id, i) => found.scores[2 * i + (found.ids[2 * i] === id ? 1 : 0)]!);
  nearest.sort((a, b) => a - b);
  const median = nearest[count >> 1]!;
  const background = mean.reduce((sum, x) => sum + x * x, 0);
  // Where all are alike there is no scale; nothing is then more redundant.
  return background < 1 - 1e-6 ? (median - background) / (1 - background) : 1;
}
