import { backend, settle } from './backend.ts';
import type {
  BackendIndex,
  Exactness,
  Facets,
  Method,
  PoolArguments,
  RouteArguments,
  RoutedQuery,
  SearchArguments,
  SearchResult,
  Selection,
  VectorUpdateArguments,
} from './contract.ts';
import { Prose, unexpected } from './errors.ts';
import {
  bitmap,
  exactness,
  idArray,
  method,
  numberBetween,
  oneEach,
  rowCount,
  text,
  wholeNumber,
} from './validate.ts';

/**
 * Sharpness β of the default quality, log q = β (a − max a). At 20 DSR gains on registries full of
 * near-duplicates and loses nothing measurable on others; at 0 it would drown the relevance.
 */
export const DEFAULT_SHARPNESS = 20;

/** Mixing coefficient λ of the residual kernel, the paper's default. */
export const DEFAULT_LAMBDA = 0.85;

export interface IndexRouteOptions extends VectorSearchOptions {
  /** Shortlist size, 1 ≤ k ≤ candidates. */
  k: number;
  /** Candidate pool size M ≥ k. Default 50. */
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

export interface VectorIndexOptions {
  /** How many numbers a vector has. */
  dim: number;
  /**
   * `probable` makes searches of single queries in large indexes faster, and lets one miss a vector
   * with a probability of at most 1e-12. That holds for vectors and queries which do not depend on the
   * index's own random numbers: whoever can read its memory or its file can make a query that fails.
   * Default `certain`.
   */
  exactness?: Exactness;
}

export interface VectorSearchOptions {
  /**
   * Bitmap of the ids that may be found: bit (id % 32) of word (id >> 5), see {@link bitmapOf}. Ids
   * beyond its end are not allowed, so an empty one allows nothing. Default: every id.
   */
  allowed?: Uint32Array;
}

export interface PoolInput {
  /** The query vector, dim numbers. */
  query: Float32Array;
  /** The M candidates. */
  ids: Iterable<number>;
  /** log q of each for the DPP methods, −Infinity for a quality of 0; q itself for the others. */
  relevance: Float64Array;
  /** Shortlist size, 1 ≤ k ≤ M. */
  k: number;
  /** Default `dsr`. */
  method?: Method;
  /** In [0, 1]. `dsr`: mixing coefficient λ; `mmr`: weight of relevance. Default 0.85. */
  lambda?: number;
  /** Whether to find, for each candidate, the chosen one that overlaps it most. Default false. */
  explain?: boolean;
  /** What each candidate serves of the request; without it only vectors tell candidates apart. */
  facets?: Facets;
}

export interface OpenIndexOptions {
  /** The encoder that the file must name. Default: any. */
  encoder?: string;
  /** Whether to read the float32 rows too, to compare their checksum. Default false. */
  checkRows?: boolean;
  signal?: AbortSignal;
}

/**
 * Exact cosine search over float32 vectors, held in native memory under ids that come and go.
 *
 * A search runs against the vectors as they were when it was called, whatever is added or removed
 * meanwhile. Adding copies nothing that is there already and is visible at once.
 */
export class VectorIndex {
  readonly #index: BackendIndex;

  private constructor(index: BackendIndex) {
    this.#index = index;
  }

  /**
   * Copies n × dim row-major vectors, under the ids 0 to n − 1. Rows of norm other than 1 are
   * L2-normalised.
   * @throws {SkillspanError} `ERR_DIMENSION` if the length is no multiple of dim; `ERR_NOT_FINITE`,
   *   `ERR_ZERO_VECTOR` naming the first bad row; `ERR_INVALID_ARGUMENT` for an empty or detached array.
   */
  static from(vectors: Float32Array, options: VectorIndexOptions): VectorIndex {
    const [dim, probable] = indexArguments(options);
    rowCount('vectors', vectors, dim);
    return new VectorIndex(backend().createIndex(vectors, dim, probable));
  }

  /** An index without vectors, to {@link add} to. */
  static empty(options: VectorIndexOptions): VectorIndex {
    return new VectorIndex(backend().createIndex(undefined, ...indexArguments(options)));
  }

  /**
   * Opens a file that {@link save} wrote. It is mapped, not read: processes share its memory, and the
   * float32 rows stay on the disk until a search wants them. Replace such a file by renaming another
   * over it, as {@link save} does; one that is cut short while it is open takes the process down.
   * @throws {SkillspanError} `ERR_FILE` if the system refuses; `ERR_CORRUPT_INDEX` for a damaged or
   *   foreign file; `ERR_MODEL_MISMATCH` for another encoder; `ERR_NATIVE_LOAD` on the baseline.
   */
  static async open(
    path: string,
    { encoder, checkRows = false, signal }: OpenIndexOptions = {},
  ): Promise<VectorIndex> {
    text('path', path);
    const opened = await settle(() => backend().openIndexAsync(path, checkRows), signal);
    if (encoder !== undefined && opened.encoder !== encoder) {
      throw unexpected('ERR_MODEL_MISMATCH', path, `vectors of ${encoder}`, opened.encoder);
    }
    return new VectorIndex(opened.index);
  }

  /** Number of vectors, n. */
  get size(): number {
    return this.#index.size;
  }

  get dim(): number {
    return this.#index.dim;
  }

  /** As it was made; a file keeps it. */
  get exactness(): Exactness {
    return this.#index.probable ? 'probable' : 'certain';
  }

  /**
   * An index of the vectors of this moment, which shares their memory: what is added to one or removed
   * from it, the other does not see.
   */
  fork(): VectorIndex {
    return new VectorIndex(this.#index.fork());
  }

  /**
   * Adds vectors in one step, off the event loop; one with an id that is present replaces it. Changes
   * apply in the order of the calls.
   * @param ids whole numbers below 2³²; of equal ids the last counts.
   * @param vectors a row of dim numbers for each id, copied at once, L2-normalised if they are not.
   * @returns the new size.
   * @throws {SkillspanError} as {@link from}; `ERR_OUT_OF_RANGE` for an id. Then nothing is added.
   */
  async add(ids: Iterable<number>, vectors: Float32Array): Promise<number> {
    const args = this.#addition(ids, vectors);
    return settle(() => this.#index.updateAsync(...args));
  }

  /** {@link add} on the calling thread. */
  addSync(ids: Iterable<number>, vectors: Float32Array): number {
    return this.#index.update(...this.#addition(ids, vectors));
  }

  /** Removes vectors in one step; ids that are not there do no harm. Answers the new size. */
  async remove(ids: Iterable<number>): Promise<number> {
    const args = removal(ids);
    return settle(() => this.#index.updateAsync(...args));
  }

  /** {@link remove} on the calling thread. */
  removeSync(ids: Iterable<number>): number {
    return this.#index.update(...removal(ids));
  }

  /**
   * Writes the vectors of this moment, and all that searching them needs, to a file: whole or not at
   * all, beside its place first, then renamed.
   * @param options.encoder whatever says where the vectors come from, such as {@link Encoder}'s
   *   fingerprint; {@link open} can insist on it.
   * @throws {SkillspanError} `ERR_FILE`, `ERR_OUT_OF_MEMORY`; `ERR_NATIVE_LOAD` on the baseline.
   */
  async save(path: string, { encoder = '' }: { encoder?: string } = {}): Promise<void> {
    text('path', path);
    text('encoder', encoder);
    await settle(() => this.#index.saveAsync(path, encoder));
  }

  /**
   * The m ids of highest cosine for each of b queries, exactly: those of a float64 scan, save where
   * two scores differ by less than 1e-6, and as surely as {@link exactness} says. Where fewer may be
   * found, all of them. Runs off the event loop; the queries are copied first.
   * @param queries b × dim, row-major, L2-normalised if they are not.
   * @param m at least 1; a number for all queries, or one for each.
   * @throws {SkillspanError} `ERR_DIMENSION`, `ERR_OUT_OF_RANGE`, `ERR_NOT_FINITE`, `ERR_ZERO_VECTOR`.
   */
  async search(
    queries: Float32Array,
    m: number | readonly number[],
    { signal, ...options }: VectorSearchOptions & { signal?: AbortSignal } = {},
  ): Promise<SearchResult> {
    const args = this.#searchArguments(queries, m, options);
    return settle(() => this.#index.searchAsync(...args), signal);
  }

  /** {@link search} on the calling thread, for a caller that has nothing else to do. */
  searchSync(
    queries: Float32Array,
    m: number | readonly number[],
    options: VectorSearchOptions = {},
  ): SearchResult {
    return this.#index.search(...this.#searchArguments(queries, m, options));
  }

  /**
   * The cosine of each of b queries with each of these ids, b × ids.length, row-major; NaN for an id
   * that is not there.
   * @throws {SkillspanError} `ERR_DIMENSION`, `ERR_OUT_OF_RANGE`, `ERR_NOT_FINITE`, `ERR_ZERO_VECTOR`.
   */
  async scoresFor(
    queries: Float32Array,
    ids: Iterable<number>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Float64Array> {
    this.#rows('queries', queries);
    const list = idArray(ids);
    return settle(() => this.#index.scoresForAsync(queries, list), signal);
  }

  /** {@link scoresFor} on the calling thread. */
  scoresForSync(queries: Float32Array, ids: Iterable<number>): Float64Array {
    this.#rows('queries', queries);
    return this.#index.scoresFor(queries, idArray(ids));
  }

  /**
   * Search and selection in one crossing, for requests without a reranker: the M best vectors of each
   * query, qualities from their similarities, k of them by the method. Where fewer may be found, all.
   * @param queries b × dim, row-major.
   * @returns one entry a query; its index arrays are positions in its `ids`.
   * @throws {SkillspanError} as {@link search}, and `ERR_OUT_OF_RANGE` for k > candidates.
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

  /**
   * Selection from a pool of ids that something else put together, off the event loop; see
   * {@link selectDiverse}, which it equals for vectors that are in the index.
   * @throws {SkillspanError} as {@link selectDiverse}; `ERR_OUT_OF_RANGE` for an id that is not there.
   */
  async select(input: PoolInput, { signal }: { signal?: AbortSignal } = {}): Promise<Selection> {
    const args = this.#poolArguments(input);
    return present(await settle(() => this.#index.selectAsync(...args), signal));
  }

  /** {@link select} on the calling thread. */
  selectSync(input: PoolInput): Selection {
    return present(this.#index.select(...this.#poolArguments(input)));
  }

  #poolArguments(input: PoolInput): PoolArguments {
    const queries = this.#rows('query', input.query);
    if (queries !== 1) throw unexpected('ERR_DIMENSION', 'query', 'one row', queries);
    const ids = idArray(input.ids);
    const { relevance, facets } = input;
    if (!(relevance instanceof Float64Array) || relevance.length !== ids.length) {
      const expected = `a Float64Array of ${ids.length} numbers, one an id`;
      throw unexpected('ERR_DIMENSION', 'relevance', expected, relevance);
    }
    const bad = relevance.findIndex(Number.isNaN);
    if (bad >= 0) {
      throw unexpected('ERR_OUT_OF_RANGE', `relevance[${bad}]`, 'a number', relevance[bad]);
    }
    if (facets) {
      rowCount('facets.vectors', facets.vectors, facets.count);
      if (facets.vectors.length !== ids.length * facets.count) {
        const expected = `${ids.length} rows of ${facets.count} numbers, one an id`;
        throw unexpected('ERR_DIMENSION', 'facets.vectors', expected, facets.vectors);
      }
      numberBetween('facets.weight', facets.weight, 0, 1);
    }
    return [
      input.query,
      ids,
      relevance,
      method(input.method ?? 'dsr'),
      wholeNumber('k', input.k, 1, ids.length),
      numberBetween('lambda', input.lambda ?? DEFAULT_LAMBDA, 0, 1),
      input.explain === true,
      facets?.vectors,
      facets?.count ?? 0,
      facets?.weight ?? 0,
    ];
  }

  #addition(ids: Iterable<number>, vectors: Float32Array): VectorUpdateArguments {
    const list = idArray(ids);
    const rows = list.length === 0 && vectors?.length === 0 ? 0 : this.#rows('vectors', vectors);
    if (rows !== list.length) {
      throw unexpected('ERR_DIMENSION', 'vectors', `${list.length} rows, one an id`, rows);
    }
    return [list, vectors, new Uint32Array(0)];
  }

  #rows(name: string, vectors: Float32Array): number {
    return rowCount(name, vectors, this.dim);
  }

  #searchArguments(
    queries: Float32Array,
    m: number | readonly number[],
    { allowed }: VectorSearchOptions,
  ): SearchArguments {
    const wanted = oneEach('m', m, this.#rows('queries', queries));
    if (allowed !== undefined) bitmap('allowed', allowed);
    return [queries, wanted, allowed];
  }

  #routeArguments(queries: Float32Array, options: IndexRouteOptions): RouteArguments {
    this.#rows('queries', queries);
    const candidates = wholeNumber('candidates', options.candidates ?? 50, 1, 0xffff_ffff);
    if (options.allowed !== undefined) bitmap('allowed', options.allowed);
    return [
      queries,
      candidates,
      method(options.method ?? 'dsr'),
      wholeNumber('k', options.k, 1, candidates),
      numberBetween('lambda', options.lambda ?? DEFAULT_LAMBDA, 0, 1),
      numberBetween('sharpness', options.sharpness ?? DEFAULT_SHARPNESS, 0, 1e6),
      options.explain === true,
      options.allowed,
    ];
  }
}

function present(selection: Selection | undefined): Selection {
  if (selection) return selection;
  throw unexpected('ERR_OUT_OF_RANGE', 'ids', 'ids of the index', new Prose('others'));
}

function indexArguments(options: VectorIndexOptions): [dim: number, probable: boolean] {
  const dim = wholeNumber('dim', options.dim, 1, 65_536);
  return [dim, exactness(options.exactness ?? 'certain') === 'probable'];
}

function removal(ids: Iterable<number>): VectorUpdateArguments {
  return [new Uint32Array(0), new Float32Array(0), idArray(ids)];
}
