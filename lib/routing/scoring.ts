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

/** What candidates are worth to a request. Never divided by the best one's. */
export interface Scores {
  /**
   * One a candidate, less a part of what the request's texts share with everything: what makes the
   * facets of one request comparable.
   */
  readonly relative: Float64Array;
  /** The same without that: comparable between requests. */
  readonly absolute: Float64Array;
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
 * score = (1 − α) s_whole + α max over facets of s_facet, the whole request's alone where there are
 * no facets; s = cosine + weight · units, and γ times the text's mean cosine less for the relative one.
 */
export function score({ rows, cosines, words }: Pool, options: ScoringOptions): Scores {
  const { texts, means, cosineWeight, lexicalWeight, units } = options;
  const m = rows.length;
  const facets = texts - 1;
  const byText = cosines.map(
    (cosine, i) => cosineWeight * cosine + lexicalWeight * units(words[i]!),
  );
  const shifts = means.map((mean) => cosineWeight * RECIPE.centring * mean);
  const relative = new Float64Array(m);
  const absolute = new Float64Array(m);
  const served = new Float32Array(m * facets);
  for (let i = 0; i < m; i++) {
    const whole = byText[i]!;
    if (facets === 0) {
      relative[i] = whole - shifts[0]!;
      absolute[i] = whole;
      continue;
    }
    let best = Number.NEGATIVE_INFINITY;
    let highest = Number.NEGATIVE_INFINITY;
    for (let t = 1; t <= facets; t++) {
      highest = Math.max(highest, byText[t * m + i]!);
      best = Math.max(best, byText[t * m + i]! - shifts[t]!);
    }
    const { facetShare } = RECIPE;
    relative[i] = (1 - facetShare) * (whole - shifts[0]!) + facetShare * best;
    absolute[i] = (1 - facetShare) * whole + facetShare * highest;
    let squared = 0;
    for (let f = 0; f < facets; f++) {
      const own = byText[(f + 1) * m + i]! - shifts[f + 1]!;
      const share = Math.exp(RECIPE.facetSharpness * (own - best));
      served[i * facets + f] = share;
      squared += share * share;
    }
    for (let f = 0; f < facets; f++) served[i * facets + f]! /= Math.sqrt(squared);
  }
  return { relative, absolute, served: facets > 0 ? served : undefined };
}
