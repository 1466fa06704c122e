/**
 * What the native addon and the plain TypeScript baseline both provide. Everything above this line of
 * the package is written against it, so either can serve.
 */

/**
 * How k of M candidates are chosen.
 * - `dsr`: greedy MAP on the query-residual kernel (arXiv 2609.05824).
 * - `dpp-cosine`: the same on the plain cosine kernel, the paper's ablation.
 * - `mmr`: maximal marginal relevance (Carbonell and Goldstein 1998).
 * - `topk`: relevance alone.
 */
export type Method = 'dsr' | 'dpp-cosine' | 'mmr' | 'topk';

export const METHODS: readonly Method[] = ['dsr', 'dpp-cosine', 'mmr', 'topk'];

/**
 * How sure a search is to find the m nearest vectors.
 * - `certain`: always, but for rounding.
 * - `probable`: but for a probability of at most 1e-12 a query, over a random number that the index
 *   draws when it encodes its vectors; m up to 8,192, above it is certain.
 */
export type Exactness = 'certain' | 'probable';

export const EXACTNESSES: readonly Exactness[] = ['certain', 'probable'];

/** For each of the M candidates the other one of `order` that overlaps it most. */
export interface Overlaps {
  /** Its position, the earliest chosen where several tie; -1 where there is no other. */
  readonly nearest: Int32Array;
  /** The overlap φ in [0, 1], (1 + cosine) / 2 for MMR and top-k; 0 where there is no other. */
  readonly overlap: Float32Array;
}

/** A selection; every number in an index array is a position among the M candidates. */
export interface Selection {
  /** Candidates chosen by the method, in the order of choice. At most k; DPP methods stop early. */
  readonly order: Uint32Array;
  /**
   * Marginal gain of each entry of `order`. DPP methods: 2·log q + log d², natural logarithm (Chen,
   * Zhang, Zhou 2018). MMR: its objective. Top-k: the relevance.
   */
  readonly gains: Float64Array;
  /** Candidates that completed the shortlist by quality where a DPP method stopped early. */
  readonly filled: Uint32Array;
  /** All chosen candidates, `order` and `filled`, by quality; ties to the lower index. */
  readonly ranked: Uint32Array;
  /** Only where `explain` was asked for. */
  readonly overlaps?: Overlaps;
}

/**
 * Hits of b queries side by side, each best first, ties to the lower id: those of query q stand from
 * `offsets[q]` up to `offsets[q + 1]`. As many as were asked for, or as there are.
 */
export interface SearchResult {
  readonly ids: Uint32Array;
  /** Cosine similarities. */
  readonly scores: Float32Array;
  /** b + 1 numbers. */
  readonly offsets: Uint32Array;
}

/** One request searched and selected in one call. */
export interface RoutedQuery extends Selection {
  /** At most M ids of the index by similarity, ties to the lower id. */
  readonly ids: Uint32Array;
  /** Their cosine similarities, float64. */
  readonly similarities: Float64Array;
}

/** Work in flight: `promise` resolves to undefined when `cancel` stopped it. */
export interface Job<T> {
  readonly promise: Promise<T | undefined>;
  cancel(): void;
}

/** Arguments in a fixed order and already validated: a call must cost next to nothing. */
export type RouteArguments = [
  queries: Float32Array,
  candidates: number,
  method: Method,
  k: number,
  lambda: number,
  sharpness: number,
  explain: boolean,
  allowed: Uint32Array | undefined,
];

/** Vectors to add or replace, a row for each id, and ids to remove before that, in one step. */
export type VectorUpdateArguments = [ids: Uint32Array, vectors: Float32Array, removed: Uint32Array];

/** `m` holds one number a query. */
export type SearchArguments = [
  queries: Float32Array,
  m: Uint32Array,
  allowed: Uint32Array | undefined,
];

export type SelectArguments = [
  query: Float32Array,
  embeddings: Float32Array,
  quality: Float64Array,
  method: Method,
  k: number,
  lambda: number,
  explain: boolean,
];

/**
 * Which facets of the request each candidate serves: M × count, row-major, rows of norm 1. A kernel
 * that knows them gives φ_ij = (1 + (1 − weight) z_i·z_j + weight u_i·u_j) / 2.
 */
export interface Facets {
  readonly vectors: Float32Array;
  readonly count: number;
  /** In [0, 1]. */
  readonly weight: number;
}

/** Selection from a pool of ids that something else put together. */
export type PoolArguments = [
  query: Float32Array,
  ids: Uint32Array,
  /** log q for the DPP methods, q for the others. */
  relevance: Float64Array,
  method: Method,
  k: number,
  lambda: number,
  explain: boolean,
  facets: Float32Array | undefined,
  count: number,
  weight: number,
];

export interface BackendIndex {
  readonly size: number;
  readonly dim: number;
  readonly probable: boolean;
  /** An index of the same rows, which shares their memory; changes to one do not reach the other. */
  fork(): BackendIndex;
  /** Answers the new size. Changes apply in the order of the calls, whichever form they have. */
  update(...args: VectorUpdateArguments): number;
  updateAsync(...args: VectorUpdateArguments): Job<number>;
  search(...args: SearchArguments): SearchResult;
  searchAsync(...args: SearchArguments): Job<SearchResult>;
  /** Cosines, query by query; NaN for an id that is not there. */
  scoresFor(queries: Float32Array, ids: Uint32Array): Float64Array;
  scoresForAsync(queries: Float32Array, ids: Uint32Array): Job<Float64Array>;
  route(...args: RouteArguments): RoutedQuery[];
  routeAsync(...args: RouteArguments): Job<RoutedQuery[]>;
  /** Answers undefined where an id is no longer there. */
  select(...args: PoolArguments): Selection | undefined;
  selectAsync(...args: PoolArguments): Job<Selection | undefined>;
  saveAsync(path: string, encoder: string): Job<void>;
}

/** An index read from a file, and the encoder that the file names. */
export interface OpenedIndex {
  readonly index: BackendIndex;
  readonly encoder: string;
}

/** How words are weighed: Okapi BM25 (Robertson and Walker 1994) or the cosine of TF-IDF vectors. */
export type LexicalModel = 'bm25' | 'tf-idf';

export const LEXICAL_MODELS: readonly LexicalModel[] = ['bm25', 'tf-idf'];

/** Documents that match one query, best first, ties to the lower id; at most m. */
export interface LexicalHits {
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
}

/**
 * Ids to remove, then documents to add or replace, in one step. Document i is `ids[i]`, with
 * `terms[offsets[i]]` up to `terms[offsets[i + 1]]` and the frequencies beside them.
 */
export type UpdateArguments = [
  ids: Uint32Array,
  offsets: Uint32Array,
  terms: Uint32Array,
  frequencies: Float32Array,
  removed: Uint32Array,
];

/** Queries side by side, as documents are; `m` holds one number a query, `allowed` is a bitmap of ids. */
export type LexicalSearchArguments = [
  terms: Uint32Array,
  weights: Float64Array,
  offsets: Uint32Array,
  m: Uint32Array,
  allowed: Uint32Array | undefined,
];

export type ScoresForArguments = [terms: Uint32Array, weights: Float64Array, ids: Uint32Array];

export interface BackendLexicalIndex {
  readonly size: number;
  /** See {@link BackendIndex.fork}. */
  fork(): BackendLexicalIndex;
  /** Answers the new size. Changes apply in the order of the calls, whichever form they have. */
  update(...args: UpdateArguments): number;
  updateAsync(...args: UpdateArguments): Job<number>;
  search(...args: LexicalSearchArguments): LexicalHits[];
  searchAsync(...args: LexicalSearchArguments): Job<LexicalHits[]>;
  scoresFor(...args: ScoresForArguments): Float64Array;
  scoresForAsync(...args: ScoresForArguments): Job<Float64Array>;
  saveAsync(path: string, ...terms: TermList): Job<void>;
}

/** Terms in the order of their numbers, one after another, and how long each is. */
export type TermList = [text: string, lengths: Uint32Array];

/** An index read from a file, and its terms as a {@link TermList}. */
export interface OpenedLexicalIndex {
  readonly index: BackendLexicalIndex;
  readonly text: string;
  readonly lengths: Uint32Array;
}

export interface BackendInfo {
  /** Instruction set in use: `portable`, `avx2`, `avx512`, `neon`, or `javascript` for the baseline. */
  readonly isa: string;
  /** Sets this machine can run, slowest first. */
  readonly supportedIsas: readonly string[];
  /** How many threads a search may use. */
  readonly threads: number;
  /** Language and compiler. */
  readonly build: string;
}

export interface Backend {
  info(): BackendInfo;
  /** @param probable whether an answer may be wrong with a probability of 1e-12. */
  createIndex(vectors: Float32Array | undefined, dim: number, probable: boolean): BackendIndex;
  /** @param checkRows whether to read the float32 rows too, to compare their checksum. */
  openIndexAsync(path: string, checkRows: boolean): Job<OpenedIndex>;
  createLexicalIndex(model: LexicalModel, k1: number, b: number): BackendLexicalIndex;
  openLexicalIndexAsync(path: string): Job<OpenedLexicalIndex>;
  select(...args: SelectArguments): Selection;
  selectAsync(...args: SelectArguments): Job<Selection>;
}
