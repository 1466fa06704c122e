import type { ResidualKernel } from './residual-kernel.ts';

/** A candidate whose conditional variance falls below this is redundant and is not chosen. */
const REDUNDANCY_FLOOR = 1e-9;
/** Gains closer than this are equal up to rounding, and ties go to the lower index. */
const TIE = 1e-12;

/** The candidate of highest gain, or -1 when none can be chosen. */
function argmax(gain: Float64Array): number {
  let best = -1;
  let bestGain = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < gain.length; i++) {
    if (gain[i]! > bestGain + TIE || (best < 0 && gain[i]! > bestGain)) {
      best = i;
      bestGain = gain[i]!;
    }
  }
  return best;
}

/**
 * Fast greedy MAP (Chen, Zhang, Zhou 2018, algorithm 1) with the qualities kept apart from the kernel:
 * the marginal gain of i is 2 log q_i + log d_i², d_i² its conditional variance given the chosen set.
 * @returns at most k candidates in the order of choice, with their gains.
 */
export function greedyMap(
  kernel: ResidualKernel,
  logQuality: Float64Array,
  k: number,
): { order: number[]; gains: number[] } {
  const m = kernel.size;
  const variance = new Float64Array(m).fill(1);
  const gain = logQuality.map((q) => 2 * q);
  const factor: Float64Array[] = [];
  const order: number[] = [];
  const gains: number[] = [];

  while (order.length < k) {
    const j = argmax(gain);
    if (j < 0) break;
    order.push(j);
    gains.push(gain[j]!);
    gain[j] = Number.NEGATIVE_INFINITY;

    const column = new Float64Array(m);
    kernel.row(j, column);
    for (const earlier of factor) {
      const weight = earlier[j]!;
      for (let i = 0; i < m; i++) column[i] = column[i]! - weight * earlier[i]!;
    }
    const scale = 1 / Math.sqrt(variance[j]!);
    for (let i = 0; i < m; i++) {
      if (gain[i] === Number.NEGATIVE_INFINITY) continue;
      column[i] = column[i]! * scale;
      variance[i] = variance[i]! - column[i]! * column[i]!;
      gain[i] =
        variance[i]! < REDUNDANCY_FLOOR
          ? Number.NEGATIVE_INFINITY
          : 2 * logQuality[i]! + Math.log(variance[i]!);
    }
    factor.push(column);
  }
  return { order, gains };
}
