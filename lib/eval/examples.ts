import type { EvalRequest } from './datasets/dataset.ts';
import type { Ranking } from './methods/method.ts';
import { fullCoverage } from './metrics.ts';

/** Examples kept for each method and outcome. */
const KEPT = 3;

/** A request that the method covers and the baseline does not, a win, or the reverse. */
export interface Example {
  readonly method: string;
  readonly outcome: 'win' | 'loss';
  readonly k: number;
  readonly request: EvalRequest;
  readonly ranking: Ranking;
  readonly baseline: Ranking;
}

/** Keeps the first wins and losses of every method with their rankings; those of all requests are too many. */
export class Examples {
  readonly #k: number;
  readonly #kept = new Map<string, Example[]>();

  constructor(k: number) {
    this.#k = k;
  }

  add(method: string, request: EvalRequest, ranking: Ranking, baseline: Ranking): void {
    const k = this.#k;
    const covers = fullCoverage(ranking.ids, request, k);
    if (covers === fullCoverage(baseline.ids, request, k)) return;
    const outcome = covers ? 'win' : 'loss';
    const key = `${outcome} ${method}`;
    const kept = this.#kept.get(key) ?? [];
    if (kept.length < KEPT) kept.push({ method, outcome, k, request, ranking, baseline });
    this.#kept.set(key, kept);
  }

  /** By method and outcome, in the order of the requests. */
  get all(): Example[] {
    return [...this.#kept.values()].flat();
  }
}
