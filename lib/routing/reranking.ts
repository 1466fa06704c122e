import type { Reranker } from '../models/reranker.ts';
import { cutView, indexView } from '../registry/index-view.ts';
import type { Skill } from '../registry/registry.ts';
import { rowsAt } from '../rows.ts';
import { numberBetween, wholeNumber } from '../validate.ts';
import type { Candidates } from './choosing.ts';
import type { Parts } from './shortlist.ts';
import type { RouteOptions } from './types.ts';

/** Candidates that are reranked: the paper's M. */
const POOL = 50;

/** Fewer logits than this say too little of the candidates without one. */
const FEWEST = 3;

export interface Reranked {
  readonly candidates: Candidates;
  readonly parts: Parts;
  /** Candidates that were to have a logit, and those that got one in time. */
  readonly counts: { readonly pool: number; readonly done: number } | undefined;
  /** Why the similarities serve, or which candidates they stand in for. */
  readonly problem: string | undefined;
}

export interface Reranking {
  readonly reranker: Reranker | undefined;
  readonly request: string;
  readonly sharpness: number;
  readonly skillOf: (row: number) => Pick<Skill, 'name' | 'description' | 'body'>;
  readonly options: RouteOptions;
}

/**
 * Quality from a reranker: the best candidates by score get logits h, log q = log sigmoid(h), and all are
 * ordered anew. Those without a logit, because they were too far down or time ran out, get the one that
 * the line through the others' scores and logits gives them; it never falls. Scores come out such that
 * sharpness × score is log q, as the choice takes them. Where the reranker fails, the similarities stay.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE` for an option.
 */
export async function rerank(
  candidates: Candidates,
  parts: Parts,
  { reranker, request, sharpness, skillOf, options }: Reranking,
): Promise<Reranked> {
  const { rerankPool = POOL, rerankBudgetMs, signal } = options;
  wholeNumber('rerankPool', rerankPool, 1, 1_000_000);
  if (rerankBudgetMs !== undefined) numberBetween('rerankBudgetMs', rerankBudgetMs, 0, 1e9);
  const unchanged = { candidates, parts, counts: undefined, problem: undefined };
  if (!reranker || candidates.rows.length === 0) return unchanged;

  const rows = [...candidates.rows.subarray(0, rerankPool)];
  const known = new Map<number, number>();
  const deadline = rerankBudgetMs === undefined ? undefined : AbortSignal.timeout(rerankBudgetMs);
  try {
    const views = rows.map((row) => cutView(indexView(skillOf(row)), reranker.caps));
    const scoring = reranker.score(request, views, {
      signal: AbortSignal.any([signal, deadline].filter((some) => some !== undefined)),
      onScore: (place, logit) => known.set(place, logit),
    });
    // A reranker may not heed its signal.
    const logits = await (deadline ? Promise.race([scoring, aborted(deadline, scoring)]) : scoring);
    logits?.forEach((logit, place) => {
      known.set(place, logit);
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (!deadline?.aborted) {
      const reason = error instanceof Error ? error.message : String(error);
      return { ...unchanged, problem: `no reranking, similarity alone: ${reason}` };
    }
  }
  signal?.throwIfAborted();
  const counts = { pool: rows.length, done: known.size };
  const late = known.size < rows.length;
  const told = `${known.size} of ${rows.length} candidates reranked in ${rerankBudgetMs} ms`;
  if (late && known.size < Math.min(FEWEST, rows.length)) {
    return { ...unchanged, counts, problem: `${told}, similarity alone` };
  }
  const problem = late ? `${told}, the others by their similarity` : undefined;
  return { ...reordered(candidates, parts, known, sharpness || 1), counts, problem };
}

/** Comes with nothing once the signal is aborted, and sees to what comes after. */
async function aborted(signal: AbortSignal, work: Promise<unknown>): Promise<undefined> {
  work.catch(() => {});
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

function reordered(
  { rows, scores, served }: Candidates,
  parts: Parts,
  known: ReadonlyMap<number, number>,
  sharpness: number,
): { candidates: Candidates; parts: Parts } {
  const expected = line([...known].map(([i, logit]) => [scores[i]!, logit]));
  const logits = Array.from(rows, (_, i) => known.get(i) ?? expected(scores[i]!));
  const order = [...rows.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
  const sorted = (values: ArrayLike<number>) => order.map((i) => values[i]!);
  return {
    candidates: {
      rows: Uint32Array.from(order, (i) => rows[i]!),
      scores: Float64Array.from(order, (i) => logSigmoid(logits[i]!) / sharpness),
      served: served && rowsAt(served, served.length / rows.length, order),
    },
    parts: {
      score: sorted(parts.score),
      similarity: sorted(parts.similarity),
      words: sorted(parts.words),
      logit: order.map((i) => known.get(i)),
    },
  };
}

/** The least-squares line through points, which does not fall; flat through their mean where it would. */
function line(points: readonly (readonly [x: number, y: number])[]): (x: number) => number {
  const n = points.length;
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / n;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / n;
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const joint = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const slope = spread > 0 ? Math.max(joint / spread, 0) : 0;
  return (x) => meanY + slope * (x - meanX);
}

/** Without overflow, whatever the logit. */
function logSigmoid(logit: number): number {
  return Math.min(logit, 0) - Math.log1p(Math.exp(-Math.abs(logit)));
}
