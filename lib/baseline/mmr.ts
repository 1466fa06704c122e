import type { ResidualKernel } from './residual-kernel.ts';

/**
 * Maximal marginal relevance (Carbonell and Goldstein 1998): each step takes the candidate of highest
 * lambda · relevance − (1 − lambda) · (highest cosine to a chosen one, 0 before the first).
 * @param cosine a kernel with λ = 0.
 */
export function mmr(
  cosine: ResidualKernel,
  relevance: Float64Array,
  lambda: number,
  k: number,
): { order: number[]; gains: number[] } {
  const m = cosine.size;
  const penalty = new Float64Array(m);
  const chosen = new Uint8Array(m);
  const phi = new Float64Array(m);
  const order: number[] = [];
  const gains: number[] = [];
  while (order.length < k) {
    let best = -1;
    let bestScore = 0;
    for (let i = 0; i < m; i++) {
      if (chosen[i]) continue;
      const score = lambda * relevance[i]! - (1 - lambda) * penalty[i]!;
      if (best < 0 || score > bestScore) {
        best = i;
        bestScore = score;
      }
    }
    chosen[best] = 1;
    cosine.row(best, phi);
    for (let i = 0; i < m; i++) {
      if (chosen[i]) continue;
      const similarity = 2 * phi[i]! - 1;
      if (order.length === 0 || similarity > penalty[i]!) penalty[i] = similarity;
    }
    order.push(best);
    gains.push(bestScore);
  }
  return { order, gains };
}
