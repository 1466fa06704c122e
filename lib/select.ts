import { backend, settle } from './backend.ts';
import type { Method, SelectArguments, Selection } from './contract.ts';
import { method, numberBetween, qualities, rowCount, wholeNumber } from './validate.ts';
import { DEFAULT_LAMBDA } from './vector-index.ts';

export interface SelectInput {
  /** The query vector x, dim numbers; its length fixes dim. */
  query: Float32Array;
  /** The candidates e_i, M × dim, row-major. Vectors of norm other than 1 count by their direction. */
  embeddings: Float32Array;
  /** M qualities q_i ≥ 0, such as a reranker's sigmoid(logit). */
  quality: ArrayLike<number>;
  /** Shortlist size, 1 ≤ k ≤ M. */
  k: number;
  /** In [0, 1]. `dsr`: mixing coefficient λ; `mmr`: weight of relevance. Default 0.85. */
  lambda?: number;
  /** Default `dsr`. */
  method?: Method;
  /** Whether to find, for each candidate, the chosen one that overlaps it most. Default false. */
  explain?: boolean;
}

/**
 * Chooses k of M candidates that are good and not redundant with one another. With the default method
 * this is DSR (arXiv 2609.05824): greedy MAP, by incremental Cholesky (Chen, Zhang, Zhou 2018), of the
 * determinantal point process L_ij = q_i φ_ij q_j whose kernel φ measures overlap after the query
 * direction is removed. Tens of microseconds for M = 50; see {@link selectDiverseAsync} for large M.
 * @throws {SkillspanError} `ERR_DIMENSION`, `ERR_OUT_OF_RANGE` (k, lambda, quality), `ERR_NOT_FINITE`,
 *   `ERR_ZERO_VECTOR`, `ERR_INVALID_ARGUMENT`.
 */
export function selectDiverse(input: SelectInput): Selection {
  return backend().select(...selectArguments(input));
}

/** {@link selectDiverse} off the event loop. Inputs are copied first. */
export async function selectDiverseAsync(
  input: SelectInput,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Selection> {
  const args = selectArguments(input);
  return settle(() => backend().selectAsync(...args), signal);
}

function selectArguments(input: SelectInput): SelectArguments {
  const { query, embeddings } = input;
  rowCount('query', query, 1);
  const m = rowCount('embeddings', embeddings, query.length);
  return [
    query,
    embeddings,
    qualities(input.quality, m),
    method(input.method ?? 'dsr'),
    wholeNumber('k', input.k, 1, m),
    numberBetween('lambda', input.lambda ?? DEFAULT_LAMBDA, 0, 1),
    input.explain === true,
  ];
}
