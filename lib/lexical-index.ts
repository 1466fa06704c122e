import { backend, settle } from './backend.ts';
import {
  type BackendLexicalIndex,
  LEXICAL_MODELS,
  type LexicalHits,
  type LexicalModel,
  type LexicalSearchArguments,
  type ScoresForArguments,
  type UpdateArguments,
} from './contract.ts';
import { Prose, unexpected } from './errors.ts';
import {
  bitmap,
  frequency,
  HIGHEST_ID,
  idArray,
  numberBetween,
  oneEach,
  text,
  wholeNumber,
} from './validate.ts';
import { Vocabulary } from './vocabulary.ts';

/** More than any request has; the native search shares 16 bits among the terms of a query. */
const MOST_QUERY_TERMS = 4_096;

export interface LexicalIndexOptions {
  /**
   * - `bm25`: Σ w · ln(1 + (N − df + ½) / (df + ½)) · tf (k1 + 1) / (tf + k1 (1 − b + b |d| / avg |d|)),
   *   |d| = Σ tf (Robertson and Walker 1994, with the idf of Lucene). The default.
   * - `tf-idf`: the cosine of (w · ln(1 + N / df)) over the query's terms with (ln(1 + tf)) over the
   *   document's, lnc.ltc of Manning, Raghavan and Schütze 2008. In [0, 1].
   */
  model?: LexicalModel;
  /** How slowly repeated terms saturate, 0 ≤ k1 ≤ 1000. Only for `bm25`. Default 1.2. */
  k1?: number;
  /** How much long documents are held back, 0 ≤ b ≤ 1. Only for `bm25`. Default 0.75. */
  b?: number;
}

/** Terms and how much each counts: frequencies in a document, weights in a query. */
export type TermWeights = ReadonlyMap<string, number>;

/** Terms with weights of at least 0; or plain terms, where one that comes twice has weight 2. */
export type LexicalQuery = TermWeights | Iterable<string>;

export interface LexicalSearchOptions {
  /**
   * Bitmap of the ids that may be found: bit (id % 32) of word (id >> 5), see {@link bitmapOf}. Ids
   * beyond its end are not allowed, so an empty one allows nothing. Default: every id.
   */
  allowed?: Uint32Array;
}

/** A bitmap with the bits of these ids set. */
export function bitmapOf(ids: Iterable<number>): Uint32Array {
  const list = [...ids];
  const highest = list.reduce(
    (max, id) => Math.max(max, wholeNumber('ids', id, 0, HIGHEST_ID)),
    -1,
  );
  const words = new Uint32Array(Math.floor(highest / 32) + 1);
  for (const id of list) words[id >>> 5]! |= 1 << (id & 31);
  return words;
}

/**
 * Exact BM25 or TF-IDF search over documents that come and go. Terms are strings; the index gives each
 * a number, since JavaScript hashes its strings once and the native side then never sees one.
 *
 * A search runs against the documents as they were when it was called, whatever is added or removed
 * meanwhile. N, df and the average length are always those of the documents present.
 */
export class LexicalIndex {
  #index: BackendLexicalIndex;
  #vocabulary = new Vocabulary();

  /** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for an unknown model, `ERR_OUT_OF_RANGE`. */
  constructor({ model = 'bm25', k1 = 1.2, b = 0.75 }: LexicalIndexOptions = {}) {
    if (!LEXICAL_MODELS.includes(model)) {
      const expected = `one of ${LEXICAL_MODELS.join(', ')}`;
      throw unexpected('ERR_INVALID_ARGUMENT', 'model', expected, model);
    }
    numberBetween('k1', k1, 0, 1_000);
    numberBetween('b', b, 0, 1);
    this.#index = backend().createLexicalIndex(model, k1, b);
  }

  /**
   * Opens a file that {@link save} wrote: the same model, documents and terms. Its documents and
   * postings are mapped, not copied, and processes share their memory. Replace such a file by renaming
   * another over it, as {@link save} does; one that is cut short while it is open takes the process down.
   * @throws {SkillspanError} `ERR_FILE` if the system refuses; `ERR_CORRUPT_INDEX` for a damaged or
   *   foreign file; `ERR_NATIVE_LOAD` on the baseline.
   */
  static async open(
    path: string,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<LexicalIndex> {
    text('path', path);
    const file = await settle(() => backend().openLexicalIndexAsync(path), signal);
    const opened = new LexicalIndex();
    opened.#index = file.index;
    opened.#vocabulary = Vocabulary.from(path, [file.text, file.lengths]);
    return opened;
  }

  /**
   * An index of the documents of this moment, which shares their memory: what is added to one or
   * removed from it, the other does not see.
   */
  fork(): LexicalIndex {
    const fork = new LexicalIndex();
    fork.#index = this.#index.fork();
    // Terms are only ever added to it, and those that no document has do no harm.
    fork.#vocabulary = this.#vocabulary;
    return fork;
  }

  /** Number of documents, the empty ones included. */
  get size(): number {
    return this.#index.size;
  }

  /**
   * Adds documents in one step, off the event loop; one with an id that is present replaces it. Many
   * at once are much cheaper than one by one. Changes apply in the order of the calls.
   * @param documents ids, whole numbers below 2³², each with its term frequencies: above 0 and at
   *   most 1e6, float32, fractional if you like (see {@link countTerms}). Of equal ids the last counts.
   * @returns the new size.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`; then nothing is added.
   */
  async add(documents: Iterable<readonly [id: number, terms: TermWeights]>): Promise<number> {
    const args = this.#documents(documents);
    return settle(() => this.#index.updateAsync(...args));
  }

  /** {@link add} on the calling thread. */
  addSync(documents: Iterable<readonly [id: number, terms: TermWeights]>): number {
    return this.#index.update(...this.#documents(documents));
  }

  /** Removes documents in one step; ids that are not there do no harm. Answers the new size. */
  async remove(ids: Iterable<number>): Promise<number> {
    const args = removal(ids);
    return settle(() => this.#index.updateAsync(...args));
  }

  /** {@link remove} on the calling thread. */
  removeSync(ids: Iterable<number>): number {
    return this.#index.update(...removal(ids));
  }

  /**
   * Writes the documents of this moment, the model and all terms ever added to a file: whole or not at
   * all, beside its place first, then renamed.
   * @throws {SkillspanError} `ERR_FILE`, `ERR_OUT_OF_MEMORY`; `ERR_INVALID_ARGUMENT` for a term with a
   *   lone surrogate; `ERR_NATIVE_LOAD` on the baseline.
   */
  async save(path: string): Promise<void> {
    text('path', path);
    await settle(() => this.#index.saveAsync(path, ...this.#vocabulary.list()));
  }

  /**
   * At most m documents for each query, exactly those of an exhaustive float64 scorer: best first,
   * ties to the lower id. Only documents that share a term with the query are found.
   * @param m at least 1; a number for all queries, or one for each.
   * @returns one entry a query.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`.
   */
  async search(
    queries: readonly LexicalQuery[],
    m: number | readonly number[],
    { signal, ...options }: LexicalSearchOptions & { signal?: AbortSignal } = {},
  ): Promise<LexicalHits[]> {
    const args = this.#searchArguments(queries, m, options);
    return settle(() => this.#index.searchAsync(...args), signal);
  }

  /** {@link search} on the calling thread: for one short query it takes less than a promise does. */
  searchSync(
    queries: readonly LexicalQuery[],
    m: number | readonly number[],
    options: LexicalSearchOptions = {},
  ): LexicalHits[] {
    return this.#index.search(...this.#searchArguments(queries, m, options));
  }

  /**
   * The scores of these documents for one query, in their order; 0 where the document shares no term
   * with the query or is not in the index.
   */
  async scoresFor(
    query: LexicalQuery,
    ids: Iterable<number>,
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Float64Array> {
    const args = this.#scoresArguments(query, ids);
    return settle(() => this.#index.scoresForAsync(...args), signal);
  }

  /** {@link scoresFor} on the calling thread. */
  scoresForSync(query: LexicalQuery, ids: Iterable<number>): Float64Array {
    return this.#index.scoresFor(...this.#scoresArguments(query, ids));
  }

  #documents(documents: Iterable<readonly [id: number, terms: TermWeights]>): UpdateArguments {
    if (typeof documents?.[Symbol.iterator] !== 'function') {
      throw unexpected('ERR_INVALID_ARGUMENT', 'documents', 'pairs of id and terms', documents);
    }
    const list = [...documents];
    let total = 0;
    for (const [i, [id, terms]] of list.entries()) {
      wholeNumber(`documents[${i}]`, id, 0, HIGHEST_ID);
      if (!(terms instanceof Map)) {
        const name = `documents[${i}]`;
        throw unexpected('ERR_INVALID_ARGUMENT', name, 'a Map of term frequencies', terms);
      }
      for (const [term, tf] of terms) frequency(`documents[${i}] ${JSON.stringify(term)}`, tf);
      total += terms.size;
    }
    if (total > 0xffff_ffff) {
      const actual = new Prose(`${total}`);
      throw unexpected('ERR_OUT_OF_RANGE', 'documents', 'less than 2^32 terms in all', actual);
    }

    const ids = new Uint32Array(list.length);
    const offsets = new Uint32Array(list.length + 1);
    const numbers = new Uint32Array(total);
    const frequencies = new Float32Array(total);
    let at = 0;
    for (const [i, [id, terms]] of list.entries()) {
      ids[i] = id;
      for (const [term, tf] of terms) {
        numbers[at] = this.#vocabulary.numberOf(term);
        frequencies[at++] = tf;
      }
      offsets[i + 1] = at;
    }
    return [ids, offsets, numbers, frequencies, new Uint32Array(0)];
  }

  #searchArguments(
    queries: readonly LexicalQuery[],
    m: number | readonly number[],
    { allowed }: LexicalSearchOptions,
  ): LexicalSearchArguments {
    if (!Array.isArray(queries)) {
      throw unexpected('ERR_INVALID_ARGUMENT', 'queries', 'an array of queries', queries);
    }
    const wanted = oneEach('m', m, queries.length);
    if (allowed !== undefined) bitmap('allowed', allowed);
    const terms: number[] = [];
    const weights: number[] = [];
    const offsets = new Uint32Array(queries.length + 1);
    for (const [q, query] of queries.entries()) {
      this.#readQuery(`queries[${q}]`, query, terms, weights);
      offsets[q + 1] = terms.length;
    }
    return [Uint32Array.from(terms), Float64Array.from(weights), offsets, wanted, allowed];
  }

  #scoresArguments(query: LexicalQuery, ids: Iterable<number>): ScoresForArguments {
    const terms: number[] = [];
    const weights: number[] = [];
    this.#readQuery('query', query, terms, weights);
    return [Uint32Array.from(terms), Float64Array.from(weights), idArray(ids)];
  }

  /** Appends the terms that the index knows, each once. */
  #readQuery(name: string, query: LexicalQuery, terms: number[], weights: number[]): void {
    const counts = query instanceof Map ? query : count(name, query);
    if (counts.size > MOST_QUERY_TERMS) {
      const expected = `at most ${MOST_QUERY_TERMS} different terms`;
      throw unexpected('ERR_OUT_OF_RANGE', name, expected, counts.size);
    }
    for (const [term, weight] of counts) {
      if (typeof weight !== 'number' || !(weight >= 0 && weight <= 1e6)) {
        numberBetween(`${name} ${JSON.stringify(term)}`, weight, 0, 1e6);
      }
      const number = this.#vocabulary.find(term);
      if (number === undefined) continue;
      terms.push(number);
      weights.push(weight);
    }
  }
}

function count(name: string, terms: LexicalQuery): Map<string, number> {
  if (typeof terms === 'string' || typeof terms?.[Symbol.iterator] !== 'function') {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'terms, or a Map of their weights', terms);
  }
  const counts = new Map<string, number>();
  for (const term of terms as Iterable<string>) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function removal(ids: Iterable<number>): UpdateArguments {
  const nothing = new Uint32Array(0);
  return [nothing, new Uint32Array(1), nothing, new Float32Array(0), idArray(ids)];
}
