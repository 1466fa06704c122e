import type { SearchResult } from '../contract.ts';
import { dot, type Matrix } from './matrix.ts';
import { type Hits, TopM } from './top-m.ts';

/** Rows scored between two chances to stop or to let the event loop run. */
const BLOCK_ROWS = 1024;

/** The m rows of highest cosine for each query. Yields after each block of rows. */
export function* searchSteps(index: Matrix, queries: Matrix, m: number): Generator<void, Hits[]> {
  const { dim } = index;
  const tops = Array.from({ length: queries.rows }, () => new TopM(m));
  for (let first = 0; first < index.rows; first += BLOCK_ROWS) {
    const end = Math.min(first + BLOCK_ROWS, index.rows);
    for (let q = 0; q < queries.rows; q++) {
      const top = tops[q]!;
      for (let i = first; i < end; i++) {
        top.offer(dot(index.values, i * dim, queries.values, q * dim, dim), i);
      }
    }
    yield;
  }
  return tops.map((top) => top.sorted());
}

/** Hits of b queries side by side. */
export function toSearchResult(hits: readonly Hits[], m: number): SearchResult {
  const ids = new Uint32Array(hits.length * m);
  const scores = new Float32Array(hits.length * m);
  for (const [q, hit] of hits.entries()) {
    ids.set(hit.ids, q * m);
    scores.set(hit.scores, q * m);
  }
  return { ids, scores };
}
