import type { LexicalIndex } from '../lexical-index.ts';
import { tokenize } from '../tokenize.ts';
import type { VectorIndex } from '../vector-index.ts';
import { RECIPE } from './recipe.ts';
import { queryTerms } from './stop-words.ts';

/** Texts of a request: the whole of it, then its facets, if it has more than one. */
export interface Query {
  readonly texts: readonly string[];
  /** texts.length × dim; undefined where they could not be embedded. */
  readonly vectors: Float32Array | undefined;
}

/** The candidate pool: rows of skills, ascending, and how like each text each of them is. */
export interface Pool {
  readonly rows: Uint32Array;
  /** texts × rows; zeros where nothing was embedded, or looked for by words. */
  readonly cosines: Float64Array;
  readonly words: Float64Array;
}

export interface RetrievalOptions {
  /** Candidates by embedding for the whole request. */
  readonly candidates: number;
  /** Undefined: every row. */
  readonly allowed: Uint32Array | undefined;
  /** Rows that become candidates in any case. */
  readonly included: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

/** Candidates by embedding and by words, for the whole request and for each facet. */
export async function retrieve(
  query: Query,
  index: VectorIndex,
  words: LexicalIndex | undefined,
  { candidates, allowed, included, signal }: RetrievalOptions,
): Promise<Pool> {
  const { texts, vectors } = query;
  const filter = { ...(allowed && { allowed }), ...(signal && { signal }) };
  const terms = words ? texts.map((text) => queryTerms(tokenize(text))) : [];
  const wanted = (whole: number, facet: number) => texts.map((_, t) => (t === 0 ? whole : facet));
  const [dense, lexical] = await Promise.all([
    vectors && index.search(vectors, wanted(candidates, RECIPE.dense.facet), filter),
    words?.search(terms, wanted(RECIPE.lexical.whole, RECIPE.lexical.facet), filter),
  ]);

  const found = new Set(included);
  for (const row of dense?.ids ?? []) found.add(row);
  for (const { ids } of lexical ?? []) for (const row of ids) found.add(row);
  const rows = Uint32Array.from(found).sort();

  const none = () => new Float64Array(texts.length * rows.length);
  const [cosines, scores] = await Promise.all([
    vectors ? index.scoresFor(vectors, rows, signal ? { signal } : {}) : none(),
    Promise.all(terms.map((some) => words!.scoresFor(some, rows, signal ? { signal } : {}))),
  ]);
  const byWords = none();
  for (const [t, row] of scores.entries()) byWords.set(row, t * rows.length);
  return { rows, cosines, words: byWords };
}
