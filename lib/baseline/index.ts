/**
 * Search and selection in plain TypeScript, float64 throughout, importing nothing native. It is the
 * oracle of the tests, the peer of the benchmarks, and what runs under SKILLSPAN_NATIVE=0.
 */
import type {
  Backend,
  BackendIndex,
  RouteArguments,
  RoutedQuery,
  SelectArguments,
  Selection,
} from '../contract.ts';
import { BaselineLexicalIndex } from './lexical.ts';
import { type Matrix, readMatrix } from './matrix.ts';
import { searchSteps, toSearchResult } from './search.ts';
import { relevanceOfQuality, relevanceOfSimilarity, select } from './select.ts';
import { runLater, runNow } from './steps.ts';
import type { Hits } from './top-m.ts';

class BaselineIndex implements BackendIndex {
  readonly #matrix: Matrix;

  constructor(vectors: Float32Array, dim: number) {
    this.#matrix = readMatrix('vectors', vectors, dim, { normalise: true });
  }

  get size(): number {
    return this.#matrix.rows;
  }

  get dim(): number {
    return this.#matrix.dim;
  }

  search(queries: Float32Array, m: number) {
    return runNow(this.#searchSteps(this.#read(queries), m));
  }

  searchAsync(queries: Float32Array, m: number) {
    return runLater(this.#searchSteps(this.#read(queries), m));
  }

  route(queries: Float32Array, ...rest: Rest<RouteArguments>) {
    return runNow(this.#routeSteps(this.#read(queries), ...rest));
  }

  routeAsync(queries: Float32Array, ...rest: Rest<RouteArguments>) {
    return runLater(this.#routeSteps(this.#read(queries), ...rest));
  }

  #read(queries: Float32Array): Matrix {
    return readMatrix('queries', queries, this.dim, { normalise: true });
  }

  *#searchSteps(queries: Matrix, m: number) {
    return toSearchResult(yield* searchSteps(this.#matrix, queries, m), m);
  }

  *#routeSteps(
    queries: Matrix,
    ...[m, method, k, lambda, sharpness, explain]: Rest<RouteArguments>
  ): Generator<void, RoutedQuery[]> {
    const hits = yield* searchSteps(this.#matrix, queries, m);
    const routed: RoutedQuery[] = [];
    for (const [q, { ids, scores }] of hits.entries()) {
      const relevance = relevanceOfSimilarity(method, scores, sharpness);
      const selection = select(
        row(queries, q),
        gather(this.#matrix, ids),
        relevance,
        method,
        k,
        lambda,
        explain,
      );
      routed.push({ ...selection, ids, similarities: scores });
      yield;
    }
    return routed;
  }
}

type Rest<T extends unknown[]> = T extends [unknown, ...infer R] ? R : never;

function row(matrix: Matrix, i: number): Matrix {
  return gather(matrix, [i]);
}

function gather({ values, dim, norms }: Matrix, ids: Hits['ids'] | number[]): Matrix {
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
  createIndex: (vectors, dim) => new BaselineIndex(vectors, dim),
  createLexicalIndex: (model, k1, b) => new BaselineLexicalIndex(model, k1, b),
  select: (...args) => prepare(...args)(),
  selectAsync: (...args) => runLater(afterOneTurn(prepare(...args))),
};
