import type { Reranker } from '../../models/reranker.ts';
import { cutView, indexView } from '../../registry/index-view.ts';
import { rowsAt } from '../../rows.ts';
import { selectDiverse } from '../../select.ts';
import type { Workbench } from '../workbench.ts';
import { type Method, timed } from './method.ts';

/** Size M of the candidate pool, the paper's; a larger shortlist takes a pool of its own size. */
const CANDIDATES = 50;

export interface RerankedOptions {
  /** Default `rerank`, `dsr-rerank` or `dpp-cosine-rerank`. */
  readonly name?: string;
  /** Candidates that are reranked. Default 50. */
  readonly candidates?: number;
}

export interface DsrRerankedOptions extends RerankedOptions {
  /** `dpp-cosine` is the paper's ablation, on the plain cosine kernel. Default `dsr`. */
  readonly method?: 'dsr' | 'dpp-cosine';
}

interface Pool {
  /** Rows of the skills nearest to the request. */
  readonly rows: readonly number[];
  readonly logits: Float32Array;
  readonly query: Float32Array;
  readonly search: number;
  readonly rerank: number;
}

/**
 * The k candidates of highest logit: a cross-encoder, or, with `rankWith(model)` of `skillspan/ai` as the
 * reranker, the paper's zero-shot LLM ranker.
 */
export function rerank(
  bench: Workbench,
  reranker: Reranker,
  { name = 'rerank', candidates = CANDIDATES }: RerankedOptions = {},
): Method {
  const poolOf = pools(bench, reranker, candidates);
  return {
    name,
    dependsOnK: false,
    async rank(request, k) {
      const { rows, logits, search, rerank: select } = await poolOf(request, k);
      const order = [...rows.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b).slice(0, k);
      const skills = order.map((i) => ({ id: bench.skills[rows[i]!]!.id, score: logits[i]! }));
      const milliseconds = { search, select };
      return { ids: skills.map(({ id }) => id), milliseconds, trace: { skills } };
    },
  };
}

/** DSR as its paper has it (arXiv 2609.05824): the residual kernel, and q = sigmoid(logit). */
export function dsrReranked(
  bench: Workbench,
  reranker: Reranker,
  { method = 'dsr', name = `${method}-rerank`, candidates = CANDIDATES }: DsrRerankedOptions = {},
): Method {
  const poolOf = pools(bench, reranker, candidates);
  return {
    name,
    dependsOnK: true,
    async rank(request, k) {
      const { rows, logits, query, search, rerank } = await poolOf(request, k);
      const embeddings = rowsAt(bench.vectors, bench.index.dim, rows);
      const quality = Float64Array.from(logits, (logit) => 1 / (1 + Math.exp(-logit)));
      const [{ ranked }, select] = timed(() =>
        selectDiverse({ query, embeddings, quality, method, k: Math.min(k, rows.length) }),
      );
      const skills = [...ranked].map((i) => ({
        id: bench.skills[rows[i]!]!.id,
        score: logits[i]!,
        quality: quality[i]!,
      }));
      const milliseconds = { search, select: rerank + select };
      return { ids: skills.map(({ id }) => id), milliseconds, trace: { skills } };
    },
  };
}

/** Reranks the pool of a request once, for every k that does not need a larger one. */
function pools(bench: Workbench, reranker: Reranker, candidates: number) {
  let last: { readonly request: string; readonly pool: Pool } | undefined;
  return async (request: string, k: number): Promise<Pool> => {
    const { index } = bench;
    const m = Math.min(Math.max(candidates, k), index.size);
    if (last?.request === request && last.pool.rows.length === m) return last.pool;
    const query = await bench.encode(request);
    const [{ ids }, search] = timed(() => index.searchSync(query, m));
    const rows = [...ids];
    const views = rows.map((row) => cutView(indexView(bench.skills[row]!), reranker.caps));
    const started = performance.now();
    const logits = await reranker.score(request, views);
    const pool = { rows, logits, query, search, rerank: performance.now() - started };
    last = { request, pool };
    return pool;
  };
}
