import { splitIntoFacets } from '../../routing/facets.ts';
import type { Workbench } from '../workbench.ts';
import { type Method, timed } from './method.ts';
import { topk } from './ranked-lists.ts';

/** Candidates of the whole request, and of each facet. */
const WHOLE = 50;
const FACET = 10;
/** Weight of coverage against relevance, and how sharply a cosine becomes a probability. */
const LAMBDA = 0.8;
const SHARPNESS = 20;

/**
 * xQuAD (Santos, Macdonald and Ounis 2010) over the facets of the request, each as likely as the other:
 * every step takes the d of highest (1 − λ) P(d | q) + λ Σ_f 1/F P(d | f) Π over chosen j of 1 − P(j | f),
 * with P(d | ·) = exp(β (cosine − its highest)). A request of one facet is plain top-k.
 */
export function xquad(bench: Workbench): Method {
  const whole = topk(bench);
  return {
    name: 'xquad',
    dependsOnK: false,
    async rank(request, k) {
      const facets = splitIntoFacets(request);
      if (facets.length < 2) return whole.rank(request, k);
      const queries = await bench.encoder.encode([request, ...facets], { kind: 'query' });
      const [{ rows, cosines }, search] = timed(() => pool(bench, queries));
      const [order, select] = timed(() => choose(cosines, rows.length, Math.min(k, rows.length)));
      const ids = order.map((i) => bench.skills[rows[i]!]!.id);
      const trace = { facets, skills: ids.map((id) => ({ id })) };
      return { ids, milliseconds: { search, select }, trace };
    },
  };
}

function pool({ index }: Workbench, queries: Float32Array) {
  const texts = queries.length / index.dim;
  const m = Math.min(WHOLE, index.size);
  const { ids } = index.searchSync(queries, m);
  const found = new Set<number>();
  for (let t = 0; t < texts; t++) {
    for (const row of ids.subarray(t * m, t * m + (t === 0 ? m : Math.min(FACET, m)))) {
      found.add(row);
    }
  }
  const rows = Uint32Array.from(found).sort();
  return { rows, cosines: index.scoresForSync(queries, rows) };
}

/** Positions among the candidates, in the order of choice. */
function choose(cosines: Float64Array, m: number, k: number): number[] {
  const texts = cosines.length / m;
  const likelihood = Array.from({ length: texts }, (_, t) => {
    const own = cosines.subarray(t * m, (t + 1) * m);
    const highest = own.reduce((a, b) => Math.max(a, b));
    return own.map((a) => Math.exp(SHARPNESS * (a - highest)));
  });
  const [relevance, ...facets] = likelihood as [Float64Array, ...Float64Array[]];
  const uncovered = facets.map(() => 1);
  const left = new Set(Array.from({ length: m }, (_, i) => i));
  const order: number[] = [];
  while (order.length < k) {
    let best = -1;
    let highest = Number.NEGATIVE_INFINITY;
    for (const i of left) {
      const gain = facets.reduce((sum, own, f) => sum + own[i]! * uncovered[f]!, 0) / facets.length;
      const score = (1 - LAMBDA) * relevance[i]! + LAMBDA * gain;
      if (score > highest) [best, highest] = [i, score];
    }
    left.delete(best);
    order.push(best);
    for (const [f, own] of facets.entries()) uncovered[f]! *= 1 - own[best]!;
  }
  return order;
}
