import { backend, settle } from './backend.ts';
import type {
  BackendIndex,
  Method,
  RouteArguments,
  RoutedQuery,
  SearchResult,
} from './contract.ts';
import { method, numberBetween, rowCount, wholeNumber } from './validate.ts';

/**
 * Sharpness β of the default quality, log q = β (a − max a). At 20 DSR gains on registries full of
 * near-duplicates and loses nothing measurable on others; at 0 it would drown the relevance.
 */
export const DEFAULT_SHARPNESS = 20;

/** Mixing coefficient λ of the residual kernel, the paper's default. */
export const DEFAULT_LAMBDA = 0.85;

export interface IndexRouteOptions {
  /** Shortlist size, 1 ≤ k ≤ candidates. */
  k: number;
  /** Candidate pool size M, k ≤ M ≤ index size. Default: 50, or the index size if smaller. */
  candidates?: number;
  /** Default `dsr`. */
  method?: Method;
  /** In [0, 1]. `dsr`: mixing coefficient λ; `mmr`: weight of relevance. Default 0.85. */
  lambda?: number;
  /** β ≥ 0 in log q = β (a − max a), for the DPP methods. Default 20. */
  sharpness?: number;
  /** Whether to find, for each candidate, the chosen one that overlaps it most. Default false. */
  explain?: boolean;
}

/** Exact cosine search over float32 vectors held in native memory. Immutable. */
export class VectorIndex {
  readonly #index: BackendIndex;

  private constructor(index: BackendIndex) {
    this.#index = index;
  }

  /**
   * Copies n × dim row-major vectors. Rows of norm other than 1 are L2-normalised.
   * @throws {SkillspanError} `ERR_DIMENSION` if the length is no multiple of dim; `ERR_NOT_FINITE`,
   *   `ERR_ZERO_VECTOR` naming the first bad row; `ERR_INVALID_ARGUMENT` for an empty or detached array.
   */
  static from(vectors: Float32Array, { dim }: { dim: number }): VectorIndex {
    wholeNumber('dim', dim, 1, 65_536);
    rowCount('vectors', vectors, dim);
    return new VectorIndex(backend().createIndex(vectors, dim));
  }

  /** Number of vectors, n. */
  get size(): number {
    return this.#index.size;
  }

  get dim(): number {
    return this.#index.dim;
  }

  /**
   * The m rows of highest cosine for each of b queries, exactly: the ids of a float64 scan, save where
   * two scores differ by less than 1e-6. Runs off the event loop; the queries are copied first.
   * @param queries b × dim, row-major, L2-normalised if they are not.
   * @param m 1 ≤ m ≤ size.
   * @throws {SkillspanError} `ERR_DIMENSION`, `ERR_OUT_OF_RANGE`, `ERR_NOT_FINITE`, `ERR_ZERO_VECTOR`.
   */
  async search(
    queries: Float32Array,
    m: number,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<SearchResult> {
    this.#checkSearch(queries, m);
    return settle(() => this.#index.searchAsync(queries, m), signal);
  }

  /** {@link search} on the calling thread, for a caller that has nothing else to do. */
  searchSync(queries: Float32Array, m: number): SearchResult {
    this.#checkSearch(queries, m);
    return this.#index.search(queries, m);
  }

  /**
   * Search and selection in one crossing, for requests without a reranker: the M best rows of each
   * query, qualities from their similarities, k of them by the method.
   * @param queries b × dim, row-major.
   * @returns one entry a query; its index arrays are positions in its `ids`.
   * @throws {SkillspanError} as {@link search}, and `ERR_OUT_OF_RANGE` for k > candidates > size.
   */
  async route(
    queries: Float32Array,
    options: IndexRouteOptions,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<RoutedQuery[]> {
    const args = this.#routeArguments(queries, options);
    return settle(() => this.#index.routeAsync(...args), signal);
  }

  /** {@link route} on the calling thread. */
  routeSync(queries: Float32Array, options: IndexRouteOptions): RoutedQuery[] {
    return this.#index.route(...this.#routeArguments(queries, options));
  }

  #checkSearch(queries: Float32Array, m: number): void {
    rowCount('queries', queries, this.dim);
    wholeNumber('m', m, 1, this.size);
  }

  #routeArguments(queries: Float32Array, options: IndexRouteOptions): RouteArguments {
    rowCount('queries', queries, this.dim);
    const candidates = options.candidates ?? Math.min(50, this.size);
    wholeNumber('candidates', candidates, 1, this.size);
    return [
      queries,
      candidates,
      method(options.method ?? 'dsr'),
      wholeNumber('k', options.k, 1, candidates),
      numberBetween('lambda', options.lambda ?? DEFAULT_LAMBDA, 0, 1),
      numberBetween('sharpness', options.sharpness ?? DEFAULT_SHARPNESS, 0, 1e6),
      options.explain === true,
    ];
  }
}
