import type {
  BackendLexicalIndex,
  LexicalHits,
  LexicalModel,
  LexicalSearchArguments,
  ScoresForArguments,
  UpdateArguments,
} from '../contract.ts';
import { noFiles } from './no-files.ts';
import { runLater, runNow } from './steps.ts';
import { TopM } from './top-m.ts';

/** Documents scored between two chances to stop or to let the event loop run. */
const BLOCK_DOCUMENTS = 4_096;

interface Document {
  readonly id: number;
  readonly frequencies: ReadonlyMap<number, number>;
  /** BM25: the sum of the frequencies. TF-IDF: the norm of ln(1 + tf). */
  readonly length: number;
}

/** What a search runs against; replaced whole, never changed. */
interface Corpus {
  /** By ascending id. */
  readonly documents: readonly Document[];
  readonly byId: ReadonlyMap<number, Document>;
  readonly documentFrequency: ReadonlyMap<number, number>;
  readonly averageLength: number;
}

/**
 * BM25 and TF-IDF by scoring every document, in float64. The formulas are those of
 * native/core/lexical/scoring.h.
 */
export class BaselineLexicalIndex implements BackendLexicalIndex {
  readonly #model: LexicalModel;
  readonly #k1: number;
  readonly #b: number;
  #corpus: Corpus = corpusOf(new Map());

  constructor(model: LexicalModel, k1: number, b: number) {
    this.#model = model;
    this.#k1 = k1;
    this.#b = b;
  }

  get size(): number {
    return this.#corpus.documents.length;
  }

  fork(): BaselineLexicalIndex {
    const fork = new BaselineLexicalIndex(this.#model, this.#k1, this.#b);
    fork.#corpus = this.#corpus;
    return fork;
  }

  update(...[ids, offsets, terms, frequencies, removed]: UpdateArguments): number {
    const byId = new Map(this.#corpus.byId);
    for (const id of removed) byId.delete(id);
    for (const [i, id] of ids.entries()) {
      const counts = new Map<number, number>();
      for (let at = offsets[i]!; at < offsets[i + 1]!; at++) {
        counts.set(terms[at]!, (counts.get(terms[at]!) ?? 0) + frequencies[at]!);
      }
      byId.set(id, { id, frequencies: counts, length: this.#length(counts) });
    }
    this.#corpus = corpusOf(byId);
    return this.size;
  }

  updateAsync(...args: UpdateArguments) {
    // At once, so that changes apply in the order of the calls.
    const size = this.update(...args);
    return runLater(answer(size));
  }

  search(...args: LexicalSearchArguments) {
    return runNow(this.#searchSteps(...copied(args)));
  }

  searchAsync(...args: LexicalSearchArguments) {
    return runLater(this.#searchSteps(...copied(args)));
  }

  scoresFor(...[terms, weights, ids]: ScoresForArguments): Float64Array {
    const { byId } = this.#corpus;
    const query = this.#resolve(this.#corpus, terms, weights);
    return Float64Array.from(ids, (id) => {
      const document = byId.get(id);
      return document === undefined ? 0 : this.#score(this.#corpus, document, query);
    });
  }

  scoresForAsync(...args: ScoresForArguments) {
    return runLater(answer(this.scoresFor(...args)));
  }

  saveAsync(path: string): never {
    throw noFiles(path);
  }

  #searchSteps(
    ...[terms, weights, offsets, m, allowed]: LexicalSearchArguments
  ): Generator<void, LexicalHits[]> {
    const corpus = this.#corpus;
    const queries = Array.from({ length: offsets.length - 1 }, (_, q) => {
      const range = [offsets[q]!, offsets[q + 1]!] as const;
      return this.#resolve(corpus, terms.subarray(...range), weights.subarray(...range));
    });
    return this.#scan(corpus, queries, m, allowed);
  }

  *#scan(
    corpus: Corpus,
    queries: readonly Query[],
    m: Uint32Array,
    allowed: Uint32Array | undefined,
  ): Generator<void, LexicalHits[]> {
    const { documents } = corpus;
    const tops = queries.map((_, q) => new TopM(Math.min(m[q]!, documents.length)));
    for (const [i, document] of documents.entries()) {
      if (i % BLOCK_DOCUMENTS === 0) yield;
      if (allowed !== undefined && !hasBit(allowed, document.id)) continue;
      for (const [q, query] of queries.entries()) {
        const score = this.#score(corpus, document, query);
        if (score > 0) tops[q]!.offer(score, document.id);
      }
    }
    return tops.map((top) => top.sorted());
  }

  #length(counts: ReadonlyMap<number, number>): number {
    let sum = 0;
    for (const tf of counts.values()) sum += this.#model === 'bm25' ? tf : Math.log1p(tf) ** 2;
    return this.#model === 'bm25' ? sum : Math.sqrt(sum);
  }

  /** Terms that some document has, ascending, with their coefficients. */
  #resolve(corpus: Corpus, terms: Uint32Array, weights: Float64Array): Query {
    const sums = new Map<number, number>();
    for (const [i, term] of terms.entries()) sums.set(term, (sums.get(term) ?? 0) + weights[i]!);
    const query: [term: number, coefficient: number][] = [];
    for (const [term, weight] of [...sums].sort(([a], [b]) => a - b)) {
      const df = corpus.documentFrequency.get(term) ?? 0;
      if (df > 0 && weight > 0) query.push([term, weight * this.#idf(corpus.documents.length, df)]);
    }
    if (this.#model === 'bm25') return query;
    const norm = Math.sqrt(query.reduce((sum, [, weight]) => sum + weight ** 2, 0));
    return query.map(([term, weight]) => [term, weight / norm]);
  }

  #idf(n: number, df: number): number {
    return Math.log1p(this.#model === 'bm25' ? (n - df + 0.5) / (df + 0.5) : n / df);
  }

  #score({ averageLength }: Corpus, { frequencies, length }: Document, query: Query): number {
    let score = 0;
    for (const [term, coefficient] of query) {
      const tf = frequencies.get(term);
      if (tf !== undefined) score += coefficient * this.#impact(tf, length, averageLength);
    }
    return score;
  }

  #impact(tf: number, length: number, averageLength: number): number {
    if (this.#model === 'tf-idf') return Math.log1p(tf) / length;
    const k = this.#k1 * (1 - this.#b + (this.#b * length) / averageLength);
    return (tf * (this.#k1 + 1)) / (tf + k);
  }
}

type Query = readonly (readonly [term: number, coefficient: number])[];

function corpusOf(byId: ReadonlyMap<number, Document>): Corpus {
  const documents = [...byId.values()].sort((a, b) => a.id - b.id);
  const documentFrequency = new Map<number, number>();
  let total = 0;
  for (const { frequencies, length } of documents) {
    total += length;
    for (const term of frequencies.keys()) {
      documentFrequency.set(term, (documentFrequency.get(term) ?? 0) + 1);
    }
  }
  const averageLength = total > 0 ? total / documents.length : 1;
  return { documents, byId, documentFrequency, averageLength };
}

function hasBit(bitmap: Uint32Array, id: number): boolean {
  return (((bitmap[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
}

/** The caller may change its bitmap while the search runs; the rest is made anew for each call. */
function copied([terms, weights, offsets, m, allowed]: LexicalSearchArguments) {
  return [terms, weights, offsets, m, allowed?.slice()] satisfies LexicalSearchArguments;
}

// biome-ignore lint/correctness/useYield: a computation of no steps
function* answer<T>(value: T): Generator<void, T> {
  return value;
}
