import type { Selection, Method as Selector } from '../../contract.ts';
import { rowsAt } from '../../rows.ts';
import { selectDiverse } from '../../select.ts';
import { DEFAULT_LAMBDA, DEFAULT_SHARPNESS } from '../../vector-index.ts';
import type { Workbench } from '../workbench.ts';
import { type Method, type Trace, timed } from './method.ts';

/** Size M of the candidate pool, the paper's; a larger shortlist takes a pool of its own size. */
const CANDIDATES = 50;

/** Of the weights tried, the one with which MMR loses least to plain top-k. */
const MMR_RELEVANCE = 0.9;

/** Turns the cosines of the pool, best first, into qualities of at least 0. */
type Quality = (cosines: Float32Array) => Float64Array;

interface ShortlistOptions {
  readonly name: string;
  readonly selector: Selector;
  readonly lambda?: number;
  readonly quality: Quality;
}

/** A candidate pool by cosine, and k of it by {@link selectDiverse}. */
function shortlist(bench: Workbench, options: ShortlistOptions): Method {
  const { name, selector, lambda = DEFAULT_LAMBDA, quality } = options;
  return {
    name,
    dependsOnK: true,
    async rank(request, k) {
      const query = await bench.encode(request);
      const { index } = bench;
      const m = Math.min(Math.max(CANDIDATES, k), index.size);
      const [pool, search] = timed(() => index.searchSync(query, m));
      const [selection, select] = timed(() =>
        selectDiverse({
          query,
          embeddings: rowsAt(bench.vectors, bench.index.dim, pool.ids),
          quality: quality(pool.scores),
          k: Math.min(k, m),
          lambda,
          method: selector,
        }),
      );
      const trace = traced(bench, pool, quality(pool.scores), selection);
      return { ids: trace.skills.map(({ id }) => id), milliseconds: { search, select }, trace };
    },
  };
}

/** DSR over the whole request (arXiv 2609.05824) with q = exp(β (a − max a)). */
export function dsr(
  bench: Workbench,
  { name = 'dsr', lambda = DEFAULT_LAMBDA, sharpness = DEFAULT_SHARPNESS } = {},
): Method {
  return shortlist(bench, { name, selector: 'dsr', lambda, quality: scaled(sharpness) });
}

/** DSR with the quality that its paper's ablation takes from embeddings, q = (1 + a) / 2. */
export function dsrNaive(bench: Workbench): Method {
  const quality: Quality = (cosines) => Float64Array.from(cosines, (a) => (1 + a) / 2);
  return shortlist(bench, { name: 'dsr-naive', selector: 'dsr', quality });
}

/** The same greedy MAP on the plain cosine kernel, with the quality of {@link dsr}. */
export function dppCosine(bench: Workbench): Method {
  const quality = scaled(DEFAULT_SHARPNESS);
  return shortlist(bench, { name: 'dpp-cosine', selector: 'dpp-cosine', quality });
}

/** Maximal marginal relevance (Carbonell and Goldstein 1998), relevance being the cosine. */
export function mmr(bench: Workbench): Method {
  // A quality cannot be negative; a candidate with a negative cosine is none that a request needs.
  const quality: Quality = (cosines) => Float64Array.from(cosines, (a) => Math.max(a, 0));
  return shortlist(bench, { name: 'mmr', selector: 'mmr', lambda: MMR_RELEVANCE, quality });
}

function scaled(sharpness: number): Quality {
  return (cosines) => Float64Array.from(cosines, (a) => Math.exp(sharpness * (a - cosines[0]!)));
}

function traced(
  { skills }: Workbench,
  pool: { readonly ids: Uint32Array; readonly scores: Float32Array },
  quality: Float64Array,
  { ranked, order, gains }: Selection,
): Trace {
  const steps = new Map([...order].map((i, step) => [i, step] as const));
  return {
    skills: [...ranked].map((i) => {
      const step = steps.get(i);
      return {
        id: skills[pool.ids[i]!]!.id,
        score: pool.scores[i]!,
        quality: quality[i]!,
        ...(step !== undefined && { step: step + 1, gain: gains[step]! }),
      };
    }),
  };
}
