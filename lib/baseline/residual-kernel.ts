import type { Facets } from '../contract.ts';
import { dot, type Matrix } from './matrix.ts';

/**
 * The query-residual kernel of DSR (arXiv 2609.05824) by the rank-one identity, a row at a time:
 * z̃_i·z̃_j = e_i·e_j − c a_i a_j and ‖z̃_i‖² = 1 − c a_i² with c = λ (2 − λ); φ = (1 + z_i·z_j) / 2.
 * λ = 0 is the plain cosine kernel. With facets, φ = (1 + (1 − w) z_i·z_j + w u_i·u_j) / 2.
 */
export class ResidualKernel {
  readonly #candidates: Matrix;
  readonly #c: number;
  readonly #cosine: Float64Array;
  /** 1 / ‖z̃_i‖, or 0 where the residual vanishes (λ = 1 and e_i = x). */
  readonly #inverse: Float64Array;

  readonly #facets: Facets | undefined;

  /** @param query a matrix of one row. */
  constructor(candidates: Matrix, query: Matrix, lambda: number, facets?: Facets) {
    this.#facets = facets;
    const { values, rows, dim, norms } = candidates;
    this.#candidates = candidates;
    this.#c = lambda * (2 - lambda);
    this.#cosine = new Float64Array(rows);
    this.#inverse = new Float64Array(rows);
    for (let i = 0; i < rows; i++) {
      const a = dot(values, i * dim, query.values, 0, dim) / (norms[i]! * query.norms[0]!);
      const squared = 1 - this.#c * a * a;
      this.#cosine[i] = a;
      this.#inverse[i] = squared < 1e-12 ? 0 : 1 / Math.sqrt(squared);
    }
  }

  get size(): number {
    return this.#candidates.rows;
  }

  /** Writes φ_ij to phi[i] for every i. */
  row(j: number, phi: Float64Array): void {
    const { values, rows, dim, norms } = this.#candidates;
    const correction = this.#c * this.#cosine[j]!;
    const half = 0.5 * this.#inverse[j]!;
    for (let i = 0; i < rows; i++) {
      const gram = dot(values, i * dim, values, j * dim, dim) / (norms[i]! * norms[j]!);
      phi[i] = 0.5 + half * this.#inverse[i]! * (gram - correction * this.#cosine[i]!);
    }
    if (this.#facets) {
      const { vectors, count, weight } = this.#facets;
      for (let i = 0; i < rows; i++) {
        const shared = dot(vectors, i * count, vectors, j * count, count);
        phi[i] = phi[i]! + 0.5 * weight * (shared - (2 * phi[i]! - 1));
      }
    }
    phi[j] = 1;
  }
}
