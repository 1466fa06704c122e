import type { EvalRequest } from './datasets/dataset.ts';

/*
 * Metrics of one ranked list of skill ids against the gold skills G of one request; a dataset's figure is the
 * mean over its requests. Lists shorter than k count as they are. All are in [0, 1].
 */

type Gold = Pick<EvalRequest, 'gold' | 'relevance'>;

/** 1 where the first skill is a gold one, else 0. */
export function hitAt1(ids: readonly string[], { gold }: Gold): number {
  return ids.length > 0 && gold.includes(ids[0]!) ? 1 : 0;
}

/** MRR@k: 1 / rank of the first gold skill among the first k, 0 without one (Voorhees, TREC-8 1999). */
export function reciprocalRank(ids: readonly string[], { gold }: Gold, k: number): number {
  const place = ids.slice(0, k).findIndex((id) => gold.includes(id));
  return place < 0 ? 0 : 1 / (place + 1);
}

/** R@k: |first k ∩ G| / |G| (Manning, Raghavan and Schütze 2008, 8.3). */
export function recall(ids: readonly string[], { gold }: Gold, k: number): number {
  const shown = new Set(ids.slice(0, k));
  return gold.filter((id) => shown.has(id)).length / gold.length;
}

/** FC@k, full coverage: 1 where the first k hold all of G, else 0 (DSR, arXiv 2609.05824). */
export function fullCoverage(ids: readonly string[], request: Gold, k: number): number {
  return recall(ids, request, k) === 1 ? 1 : 0;
}

/**
 * nDCG@k = DCG / ideal DCG, DCG = Σ gain / log₂(rank + 1) over the first k (Järvelin and Kekäläinen 2002, in
 * the form of Burges et al. 2005 with linear gain). The gain of a skill is its graded relevance where the
 * request has grades, else 1 for a gold skill; the ideal list has the highest gains first.
 */
export function ndcg(ids: readonly string[], { gold, relevance }: Gold, k: number): number {
  const gains = relevance ?? new Map(gold.map((id) => [id, 1]));
  const ideal = dcg([...gains.values()].sort((a, b) => b - a).slice(0, k));
  return ideal === 0 ? 0 : dcg(ids.slice(0, k).map((id) => gains.get(id) ?? 0)) / ideal;
}

function dcg(gains: readonly number[]): number {
  return gains.reduce((sum, gain, place) => sum + gain / Math.log2(place + 2), 0);
}

/** The names of all metrics for these k, in the order in which {@link scoreRankings} answers them. */
export function metricNames(ks: readonly number[]): string[] {
  return ['Hit@1', ...ks.flatMap((k) => [`MRR@${k}`, `R@${k}`, `FC@${k}`, `nDCG@${k}`])];
}

/**
 * All metrics of one request.
 * @param rankings one list of ids a k, as a shortlist for one k need not begin that for another. Hit@1 is
 *   taken from the last.
 */
export function scoreRankings(
  rankings: readonly (readonly string[])[],
  request: Gold,
  ks: readonly number[],
): Float64Array {
  const scores = [hitAt1(rankings.at(-1) ?? [], request)];
  for (const [i, k] of ks.entries()) {
    for (const metric of [reciprocalRank, recall, fullCoverage, ndcg]) {
      scores.push(metric(rankings[i]!, request, k));
    }
  }
  return Float64Array.from(scores);
}
