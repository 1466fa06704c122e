import type { SearchResult } from '../contract.ts';
import { dot, type Matrix } from './matrix.ts';
import { type Hits, TopM } from './top-m.ts';

/** Rows scored between two chances to stop or to let the event loop run. */
const BLOCK_ROWS = 1024;

/**
 * The m[q] rows of highest cosine for query q, under their ids, or as many as are allowed. Yields after
 * each block of rows.
 * @param allowed bitmap of ids; undefined for all.
 */
export function* searchSteps(
  index: Matrix,
  queries: Matrix,
  m: Uint32Array,
  ids: Uint32Array,
  allowed: Uint32Array | undefined,
): Generator<void, Hits[]> {
  const { dim } = index;
  const tops = Array.from(m, (wanted) => new TopM(Math.min(wanted, index.rows)));
  for (let first = 0; first < index.rows; first += BLOCK_ROWS) {
    const end = Math.min(first + BLOCK_ROWS, index.rows);
    for (let q = 0; q < queries.rows; q++) {
      const top = tops[q]!;
      for (let i = first; i < end; i++) {
        const id = ids[i]!;
        if (allowed && !((allowed[id >>> 5] ?? 0) & (1 << (id & 31)))) continue;
        top.offer(dot(index.values, i * dim, queries.values, q * dim, dim), id);
      }
    }
    yield;
  }
  return tops.map((top) => top.sorted());
}

/** Hits of b queries side by side. */
export function* toSearchResult(steps: Generator<void, Hits[]>): Generator<void, SearchResult> {
  const hits = yield* steps;
  const offsets = new Uint32Array(hits.length + 1);
  for (const [q, hit] of hits.entries()) offsets[q + 1] = offsets[q]! + hit.ids.length;
  const ids = new Uint32Array(offsets.at(-1)!);
  const scores = new Float32Array(ids.length);
  for (const [q, hit] of hits.entries()) {
    ids.set(hit.ids, offsets[q]);
    scores.set(hit.scores, offsets[q]);
  }
  return { ids, scores, offsets };
}
