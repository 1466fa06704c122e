import { createRequire } from 'node:module';
import type { Contender } from '../report.ts';
import { type DataSet, inTurn } from '../vectors.ts';
import { type Graph, kept } from './graph.ts';

/** The little of hnswlib-node that is used here; it is not installed for the tests. */
interface Hnswlib {
  BruteforceSearch: new (space: 'ip', dim: number) => Searcher;
  HierarchicalNSW: new (space: 'ip', dim: number) => HnswIndex;
}
interface Searcher {
  initIndex(n: number, m?: number, efConstruction?: number): void;
  addPoint(point: number[], id: number): void;
  searchKnn(query: number[], k: number): { neighbors: number[] };
}
interface HnswIndex extends Searcher {
  setEf(ef: number): void;
  readIndexSync(file: string): void;
  writeIndexSync(file: string): void;
}

const hnswlib = createRequire(import.meta.url)('hnswlib-node') as Hnswlib;

/** It takes plain arrays; making one of each query once is not held against it. */
const plain = new Map<Float32Array, number[]>();
function numbers(query: Float32Array): number[] {
  const found = plain.get(query) ?? Array.from(query);
  plain.set(query, found);
  return found;
}

function addAll(index: Searcher, { vectors, dim }: DataSet): void {
  for (let i = 0; i < vectors.length / dim; i++) {
    index.addPoint(Array.from(vectors.subarray(i * dim, (i + 1) * dim)), i);
  }
}

export function bruteForce(set: DataSet, m: number): Contender {
  const index = new hnswlib.BruteforceSearch('ip', set.dim);
  index.initIndex(set.vectors.length / set.dim);
  addAll(index, set);
  return [
    'hnswlib-node brute force',
    inTurn(set, 1, (query) => index.searchKnn(numbers(query), m)),
  ];
}

export function hnswlibGraph(set: DataSet): Graph {
  const index = new hnswlib.HierarchicalNSW('ip', set.dim);
  kept(`hnswlib-${set.name}`, {
    build: (file) => {
      index.initIndex(set.vectors.length / set.dim, 16, 200);
      addAll(index, set);
      index.writeIndexSync(file);
    },
    load: (file) => index.readIndexSync(file),
  });
  return {
    name: 'hnswlib-node HNSW',
    at: (ef) => (query, m) => {
      index.setEf(ef);
      return index.searchKnn(numbers(query), m).neighbors;
    },
  };
}
