import { createRequire } from 'node:module';
import type { Contender } from '../report.ts';
import { type DataSet, inTurn } from '../vectors.ts';
import { type Graph, kept } from './graph.ts';

/** The little of usearch that is used here; it is not installed for the tests. */
interface Usearch {
  MetricKind: { IP: unknown };
  Index: new (options: {
    dimensions: number;
    metric: unknown;
    connectivity: number;
    expansion_add: number;
    expansion_search: number;
  }) => Index;
  /** Given a view into a larger buffer it has been seen to read from the buffer's start. */
  exactSearch(
    vectors: Float32Array,
    queries: Float32Array,
    dim: number,
    k: number,
    metric: unknown,
    threads: number,
  ): unknown;
}
interface Index {
  add(keys: BigUint64Array, vectors: Float32Array, threads: number): void;
  search(queries: Float32Array, k: number, threads: number): { keys: BigUint64Array };
  save(file: string): void;
  load(file: string): void;
}

const usearch = createRequire(import.meta.url)('usearch') as Usearch;

export function usearchExact(set: DataSet, b: number, m: number, threads: number): Contender {
  const vectors = set.vectors.slice();
  const metric = usearch.MetricKind.IP;
  return [
    'usearch exact',
    inTurn(set, b, (queries) => usearch.exactSearch(vectors, queries, set.dim, m, metric, threads)),
  ];
}

function empty(dim: number, ef: number): Index {
  return new usearch.Index({
    dimensions: dim,
    metric: usearch.MetricKind.IP,
    connectivity: 16,
    expansion_add: 200,
    expansion_search: ef,
  });
}

export function usearchGraph(set: DataSet, threads = 1): Graph {
  let saved = '';
  kept(`usearch-${set.name}`, {
    build: (file) => {
      const index = empty(set.dim, 50);
      const keys = BigUint64Array.from({ length: set.vectors.length / set.dim }, (_, i) =>
        BigInt(i),
      );
      index.add(keys, set.vectors.slice(), 0);
      index.save(file);
      saved = file.replace(/\.part$/, '');
    },
    load: (file) => {
      saved = file;
    },
  });
  return {
    name: 'usearch HNSW',
    // How wide to search is fixed when an index is made.
    at: (ef) => {
      const index = empty(set.dim, ef);
      index.load(saved);
      return (queries, m) => Array.from(index.search(queries, m, threads).keys, Number);
    },
  };
}
