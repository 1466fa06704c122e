/**
 * Search and selection in plain TypeScript, float64 throughout, importing nothing native. It is the
 * oracle of the tests, the peer of the benchmarks, and what runs under SKILLSPAN_NATIVE=0.
 */
import type {
  Backend,
  BackendIndex,
  PoolArguments,
  RouteArguments,
  RoutedQuery,
  SearchArguments,
  SelectArguments,
  Selection,
  VectorUpdateArguments,
} from '../contract.ts';
import { BaselineLexicalIndex } from './lexical.ts';
import { dot, type Matrix, readMatrix } from './matrix.ts';
import { noFiles } from './no-files.ts';
import { searchSteps, toSearchResult } from './search.ts';
import { relevanceOfQuality, relevanceOfSimilarity, select } from './select.ts';
import { runLater, runNow } from './steps.ts';

/** Vectors and their ids, ascending. Never changed: a search keeps the ones that it began with. */
interface Rows {
  readonly ids: Uint32Array;
  readonly matrix: Matrix;
}

class BaselineIndex implements BackendIndex {
  readonly dim: number;
  /** What the caller allows. The answers of this backend are certain. */
  readonly probable: boolean;
  #rows: Rows;

  constructor(vectors: Float32Array | undefined, dim: number, probable: boolean) {
    this.dim = dim;
    this.probable = probable;
    const values = vectors ?? new Float32Array(0);
    const matrix = readMatrix('vectors', values, dim, { normalise: true });
    this.#rows = { ids: Uint32Array.from({ length: matrix.rows }, (_, i) => i), matrix };
  }

  get size(): number {
    return this.#rows.matrix.rows;
  }

  fork(): BaselineIndex {
    const fork = new BaselineIndex(undefined, this.dim, this.probable);
    fork.#rows = this.#rows;
    return fork;
  }

  update(ids: Uint32Array, vectors: Float32Array, removed: Uint32Array): number {
    const added = readMatrix('vectors', vectors, this.dim, { normalise: true });
    this.#rows = changed(this.#rows, { ids, matrix: added }, removed);
    return this.size;
  }

  updateAsync(...args: VectorUpdateArguments) {
    const size = this.update(...args);
    return runLater(afterOneTurn(() => size));
  }

  search(...args: SearchArguments) {
    return runNow(this.#searchSteps(...args));
  }

  searchAsync(...args: SearchArguments) {
    return runLater(this.#searchSteps(...args));
  }

  scoresFor(queries: Float32Array, ids: Uint32Array): Float64Array {
    const x = this.#read(queries);
    const { ids: all, matrix } = this.#rows;
    const rows = Array.from(ids, (id) => all.indexOf(id));
    const scores = new Float64Array(x.rows * ids.length).fill(Number.NaN);
    for (let q = 0; q < x.rows; q++) {
      for (const [i, at] of rows.entries()) {
        if (at < 0) continue;
        const product = dot(matrix.values, at * this.dim, x.values, q * this.dim, this.dim);
        scores[q * ids.length + i] = product / (matrix.norms[at]! * x.norms[q]!);
      }
    }
    return scores;
  }

  scoresForAsync(queries: Float32Array, ids: Uint32Array) {
    const scores = this.scoresFor(queries, ids);
    return runLater(afterOneTurn(() => scores));
  }

  route(...args: RouteArguments) {
    return runNow(this.#routeSteps(...args));
  }

  routeAsync(...args: RouteArguments) {
    return runLater(this.#routeSteps(...args));
  }

  select(
    ...[query, ids, relevance, method, k, lambda, explain, vectors, count, weight]: PoolArguments
  ): Selection | undefined {
    const { ids: all, matrix } = this.#rows;
    const rows = Array.from(ids, (id) => all.indexOf(id));
    if (rows.includes(-1)) return undefined;
    const candidates = gather(matrix, rows);
    const facets = vectors && { vectors, count, weight };
    return select(this.#read(query), candidates, relevance, method, k, lambda, explain, facets);
  }

  selectAsync(...args: PoolArguments) {
    const selection = this.select(...args);
    return runLater(afterOneTurn(() => selection));
  }

  saveAsync(path: string): never {
    throw noFiles(path);
  }

  #searchSteps(...[queries, m, allowed]: SearchArguments) {
    return toSearchResult(this.#search(this.#read(queries), m, allowed));
  }

  #search(queries: Matrix, m: Uint32Array, allowed: Uint32Array | undefined) {
    const may = allowed?.slice();
    const rows = this.#rows;
    return searchSteps(rows.matrix, queries, m, rows.ids, may);
  }

  #read(queries: Float32Array): Matrix {
    return readMatrix('queries', queries, this.dim, { normalise: true });
  }

  #routeSteps(
    ...[values, m, method, k, lambda, sharpness, explain, allowed]: RouteArguments
  ): Generator<void, RoutedQuery[]> {
    const queries = this.#read(values);
    const { matrix, ids: all } = this.#rows;
    const search = this.#search(queries, new Uint32Array(queries.rows).fill(m), allowed);
    return (function* () {
      const routed: RoutedQuery[] = [];
      for (const [q, { ids, scores }] of (yield* search).entries()) {
        const relevance = relevanceOfSimilarity(method, scores, sharpness);
        const rows = Array.from(ids, (id) => all.indexOf(id));
        const most = Math.min(k, ids.length);
        const selection = select(
          row(queries, q),
          gather(matrix, rows),
          relevance,
          method,
          most,
          lambda,
          explain,
        );
        routed.push({ ...selection, ids, similarities: scores });
        yield;
      }
      return routed;
    })();
  }
}

/** Some rows less the removed and the replaced ones, and the added ones; of equal ids the last counts. */
function changed(rows: Rows, added: Rows, removed: Uint32Array): Rows {
  const gone = new Set(removed);
  const places = new Map<number, { matrix: Matrix; at: number }>();
  rows.ids.forEach((id, at) => {
    if (!gone.has(id)) places.set(id, { matrix: rows.matrix, at });
  });
  added.ids.forEach((id, at) => {
    places.set(id, { matrix: added.matrix, at });
  });

  const { dim } = rows.matrix;
  const ids = Uint32Array.from(places.keys()).sort();
  const values = new Float32Array(ids.length * dim);
  const norms = new Float64Array(ids.length);
  ids.forEach((id, i) => {
    const { matrix, at } = places.get(id)!;
    values.set(matrix.values.subarray(at * dim, (at + 1) * dim), i * dim);
    norms[i] = matrix.norms[at]!;
  });
  return { ids, matrix: { values, rows: ids.length, dim, norms } };
}

function row(matrix: Matrix, i: number): Matrix {
  return gather(matrix, [i]);
}

function gather({ values, dim, norms }: Matrix, ids: number[]): Matrix {
  const gathered = new Float32Array(ids.length * dim);
  ids.forEach((id, i) => {
    gathered.set(values.subarray(id * dim, (id + 1) * dim), i * dim);
  });
  return {
    values: gathered,
    rows: ids.length,
    dim,
    norms: Float64Array.from(ids, (id) => norms[id]!),
  };
}

/** Copies the inputs at once and answers the selection over them. */
function prepare(
  ...[query, embeddings, quality, method, k, lambda, explain]: SelectArguments
): () => Selection {
  const x = readMatrix('query', query, query.length, { normalise: false });
  const candidates = readMatrix('embeddings', embeddings, query.length, { normalise: false });
  const relevance = relevanceOfQuality(method, quality);
  return () => select(x, candidates, relevance, method, k, lambda, explain);
}

function* afterOneTurn<T>(compute: () => T): Generator<void, T> {
  yield;
  return compute();
}

export const baseline: Backend = {
  info: () => ({
    isa: 'javascript',
    supportedIsas: ['javascript'],
    threads: 1,
    build: 'TypeScript',
  }),
  createIndex: (vectors, dim, probable) => new BaselineIndex(vectors, dim, probable),
  openIndexAsync: (path) => {
    throw noFiles(path);
  },
  createLexicalIndex: (model, k1, b) => new BaselineLexicalIndex(model, k1, b),
  openLexicalIndexAsync: (path) => {
    throw noFiles(path);
  },
  select: (...args) => prepare(...args)(),
  selectAsync: (...args) => runLater(afterOneTurn(prepare(...args))),
};
