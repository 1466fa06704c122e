import type { Overlaps } from '../contract.ts';
import type { ResidualKernel } from './residual-kernel.ts';

/** For each candidate, the other one of `chosen` that overlaps it most, and by how much. */
export function findOverlaps(kernel: ResidualKernel, chosen: readonly number[]): Overlaps {
  const m = kernel.size;
  const nearest = new Int32Array(m).fill(-1);
  const overlap = new Float32Array(m);
  const phi = new Float64Array(m);
  for (const j of chosen) {
    kernel.row(j, phi);
    for (let i = 0; i < m; i++) {
      if (i === j || (nearest[i]! >= 0 && Math.fround(phi[i]!) <= overlap[i]!)) continue;
      nearest[i] = j;
      overlap[i] = phi[i]!;
    }
  }
  return { nearest, overlap };
}
