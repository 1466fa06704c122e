import type { Facets, Method, Selection } from '../contract.ts';
import { greedyMap } from './greedy-map.ts';
import type { Matrix } from './matrix.ts';
import { mmr } from './mmr.ts';
import { findOverlaps } from './overlaps.ts';
import { ResidualKernel } from './residual-kernel.ts';

const isDpp = (method: Method) => method === 'dsr' || method === 'dpp-cosine';

/** What a method reads: log q for the DPP methods, q for the others. */
export function relevanceOfQuality(method: Method, quality: Float64Array): Float64Array {
  return isDpp(method) ? quality.map(Math.log) : quality;
}

/** The same where there are only similarities, best first: log q = sharpness (a − max a), or a. */
export function relevanceOfSimilarity(
  method: Method,
  similarities: Float64Array,
  sharpness: number,
): Float64Array {
  const highest = similarities[0]!;
  return isDpp(method) ? similarities.map((a) => sharpness * (a - highest)) : similarities;
}

/** Chooses k candidates; a shortlist that a DPP method leaves short is completed by relevance. */
export function select(
  query: Matrix,
  candidates: Matrix,
  relevance: Float64Array,
  method: Method,
  k: number,
  lambda: number,
  explain: boolean,
  facets?: Facets,
): Selection {
  const moreRelevant = (a: number, b: number) => {
    if (relevance[a] === relevance[b]) return a - b;
    return relevance[a]! > relevance[b]! ? -1 : 1;
  };
  const byRelevance = Array.from(relevance.keys()).sort(moreRelevant);
  const kernel = new ResidualKernel(candidates, query, method === 'dsr' ? lambda : 0, facets);
  const { order, gains } = choose();

  const chosen = new Set(order);
  const filled = byRelevance.filter((i) => !chosen.has(i)).slice(0, k - order.length);
  return {
    order: Uint32Array.from(order),
    gains: Float64Array.from(gains),
    filled: Uint32Array.from(filled),
    ranked: Uint32Array.from([...order, ...filled].sort(moreRelevant)),
    ...(explain && { overlaps: findOverlaps(kernel, order) }),
  };

  function choose(): { order: number[]; gains: number[] } {
    switch (method) {
      case 'dsr':
      case 'dpp-cosine':
        return greedyMap(kernel, relevance, k);
      case 'mmr':
        return mmr(kernel, relevance, lambda, k);
      case 'topk': {
        const top = byRelevance.slice(0, k);
        return { order: top, gains: top.map((i) => relevance[i]!) };
      }
    }
  }
}
