import type { Catalog } from './catalog.ts';
import type { Policy } from './policy.ts';
import { RECIPE } from './recipe.ts';
import type { Pool, Query } from './retrieval.ts';
import { type Scores, score } from './scoring.ts';

/** What the candidates of a request are worth in a registry, by embedding, by words, or by both. */
export function scorePool(
  pool: Pool,
  { texts, vectors }: Query,
  { retriever }: Policy,
  { mean, units, index }: Catalog,
): Scores {
  const { dim } = index;
  const byWords = retriever === 'bm25' || retriever === 'tfidf' || !vectors;
  const means = texts.map((_, t) =>
    byWords ? 0 : dot(mean, vectors.subarray(t * dim, (t + 1) * dim)),
  );
  return score(pool, {
    texts: texts.length,
    means,
    cosineWeight: byWords ? 0 : 1,
    lexicalWeight: retriever === 'dense' && vectors ? 0 : RECIPE.lexicalWeight,
    units: retriever === 'tfidf' ? (x) => x / RECIPE.lexicalWeight : units,
  });
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
