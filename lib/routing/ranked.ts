import { rowsAt } from '../rows.ts';
import type { Candidates } from './choosing.ts';
import type { Pool } from './retrieval.ts';
import type { Scores } from './scoring.ts';
import type { Parts } from './shortlist.ts';

/** The pool by relative score, best first, less those of too low a score that were not forced. */
export function ranked(
  { rows, cosines, words }: Pool,
  { relative, absolute, served }: Scores,
  { forced, minScore }: { forced: readonly number[]; minScore: number },
): { candidates: Candidates; parts: Parts; best: number | undefined } {
  const all = Array.from(rows.keys()).sort((a, b) => relative[b]! - relative[a]! || a - b);
  const left = all.filter((i) => absolute[i]! >= minScore || forced.includes(rows[i]!));
  return {
    candidates: {
      rows: Uint32Array.from(left, (i) => rows[i]!),
      scores: Float64Array.from(left, (i) => relative[i]!),
      served: served && rowsAt(served, served.length / rows.length, left),
    },
    parts: {
      score: left.map((i) => absolute[i]!),
      similarity: left.map((i) => cosines[i]!),
      words: left.map((i) => words[i]!),
    },
    best: absolute.length > 0 ? absolute.reduce((a, b) => Math.max(a, b)) : undefined,
  };
}
