import { RECIPE } from './recipe.ts';
import type { Pool } from './retrieval.ts';

export interface ScoringOptions {
  /** How many texts the pool was scored for: the whole request, then its facets. */
  readonly texts: number;
  /** Mean cosine of each text with all skills. */
  readonly means: readonly number[];
  readonly cosineWeight: number;
  readonly lexicalWeight: number;
  /** Turns a lexical score into units that are comparable between requests. */
  readonly units: (score: number) => number;
}

/** Candidates with absolute scores: comparable between requests, and never divided by the best. */
export interface Scores {
  /** One a candidate. */
  readonly scores: Float64Array;
  /** texts × candidates: what each text alone would give. */
  readonly byText: Float64Array;
  /** Candidates × facets, rows of norm 1: which facets each serves. Undefined without facets. */
  readonly served: Float32Array | undefined;
}

/** Units of BM25 in a registry of n skills; see RECIPE.saturation. */
export function bm25Units(n: number): (score: number) => number {
  const unit = 2.2 * Math.log(1 + n);
  const most = RECIPE.saturation;
  return (score) => most * (1 - Math.exp(-score / unit / most));
}

/**
 * score = (1 − α) s_whole + α max over facets of s_facet, s = cosine − γ mean + weight · units; the
 * whole request's alone where there are no facets.
 */
export function score({ rows, cosines, words }: Pool, options: ScoringOptions): Scores {
  const { texts, means, cosineWeight, lexicalWeight, units } = options;
  const m = rows.length;
  const byText = new Float64Array(texts * m);
  for (let t = 0; t < texts; t++) {
    const shift = RECIPE.centring * means[t]!;
    for (let i = t * m; i < (t + 1) * m; i++) {
      byText[i] = cosineWeight * (cosines[i]! - shift) + lexicalWeight * units(words[i]!);
    }
  }
  if (texts === 1) return { scores: byText.slice(), byText, served: undefined };

  const scores = new Float64Array(m);
  const facets = texts - 1;
  const served = new Float32Array(m * facets);
  for (let i = 0; i < m; i++) {
    let best = Number.NEGATIVE_INFINITY;
    for (let t = 1; t < texts; t++) best = Math.max(best, byText[t * m + i]!);
    scores[i] = (1 - RECIPE.facetShare) * byText[i]! + RECIPE.facetShare * best;
    let squared = 0;
    for (let f = 0; f < facets; f++) {
      const weight = Math.exp(RECIPE.facetSharpness * (byText[(f + 1) * m + i]! - best));
      served[i * facets + f] = weight;
      squared += weight * weight;
    }
    for (let f = 0; f < facets; f++) served[i * facets + f]! /= Math.sqrt(squared);
  }
  return { scores, byText, served };
}
