/**
 * Mean pairwise overlap of a shortlist, the mean cosine over its pairs; undefined where it has no pair.
 * @param vectors of unit length.
 */
export function redundancy(vectors: readonly Float32Array[]): number | undefined {
  const n = vectors.length;
  if (n < 2) return undefined;
  // Σᵢⱼ eᵢ·eⱼ = ‖Σ eᵢ‖², of which the diagonal is n.
  const sum = new Float64Array(vectors[0]!.length);
  for (const vector of vectors) {
    for (let t = 0; t < sum.length; t++) sum[t]! += vector[t]!;
  }
  const squared = sum.reduce((total, value) => total + value * value, 0);
  return (squared - n) / (n * (n - 1));
}
