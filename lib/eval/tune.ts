import { unexpected } from '../errors.ts';
import { defaultSettings, type Settings } from '../routing/recipe.ts';
import type { SkillRouter } from '../routing/router.ts';
import type { Progress } from '../routing/types.ts';
import type { EvalRequest } from './datasets/dataset.ts';
import { fullCoverage, recall } from './metrics.ts';
import { sample } from './random.ts';
import { mean, quantile } from './statistics.ts';

/** What is tried, one setting after the other, beside the default, to which ties go. */
const GRID = {
  sharpness: [8, 11, 15, 20, 30, 45],
  facetWeight: [0.3, 0.5, 0.8, 0.95],
  lambda: [0, 0.5, 0.85],
  candidates: [30, 50, 100],
} as const;

/** Share of true requests that the no-match threshold must keep. */
const KEPT = 0.95;

/** Fewer requests than this say nothing about a held-out half. */
const FEWEST_REQUESTS = 20;

export interface TuneOptions {
  /** Shortlist sizes whose full coverage counts. */
  readonly ks: readonly number[];
  /** Requests that no skill serves, for the no-match threshold. */
  readonly negatives?: readonly string[];
  /** Of the split. */
  readonly seed: number;
  readonly onProgress?: Progress;
}

/** Figures on one half of the requests. */
export interface Figures {
  readonly n: number;
  /** Mean over the ks. */
  readonly fullCoverage: number;
  readonly recall: number;
}

export interface Tuning {
  readonly settings: Partial<Settings>;
  readonly tunedOn: { readonly before: Figures; readonly after: Figures };
  readonly heldOut: { readonly before: Figures; readonly after: Figures };
  readonly threshold: {
    readonly minScore: number;
    /** Share of the held-out requests with a candidate that reaches it. */
    readonly kept: number;
    /** Share of the held-out negatives with one; undefined without negatives. */
    readonly falseAnswers: number | undefined;
  };
}

/**
 * Chooses settings on one half of the requests and measures them on the other: coordinate ascent on
 * mean full coverage, then on recall. The threshold keeps 95 % of the requests of the first half.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE` for fewer than 20 requests.
 */
export async function tune(
  router: SkillRouter,
  requests: readonly EvalRequest[],
  { ks, negatives = [], seed, onProgress }: TuneOptions,
): Promise<Tuning> {
  if (requests.length < FEWEST_REQUESTS) {
    const expected = `at least ${FEWEST_REQUESTS} requests`;
    throw unexpected('ERR_OUT_OF_RANGE', 'requests', expected, requests.length);
  }
  const [first, second] = halves(requests, seed);
  const base = { ...defaultSettings(router.report.redundancy), minScore: -10 };
  const grid = Object.entries(GRID).flatMap(([name, values]) =>
    values.map((value) => ({ name: name as keyof typeof GRID, value })),
  );
  const tried = grid.filter(({ name, value }) => value !== base[name]);
  const trials = tried.length + 1;
  let done = 0;
  const attempt = async (settings: Partial<Settings>) => {
    const figures = await measure(router.with(settings), first, ks);
    onProgress?.(++done, trials);
    return figures;
  };

  const before = await attempt(base);
  let best: { settings: Settings; figures: Figures } = { settings: base, figures: before };
  for (const { name, value } of tried) {
    const settings = { ...best.settings, [name]: value };
    const figures = await attempt(settings);
    if (isBetter(figures, best.figures)) best = { settings, figures };
  }

  const chosen = router.with(best.settings);
  const scores = (await highestScores(chosen, first)).sort();
  const minScore = quantile(scores, 1 - KEPT);
  const [, others] = halves(negatives, seed);
  const share = (values: Float64Array) =>
    values.filter((score) => score >= minScore).length / values.length;
  const texts = others.map((text) => ({ text }));
  return {
    settings: { ...changed(best.settings, base), minScore },
    tunedOn: { before, after: best.figures },
    heldOut: {
      before: await measure(router.with(base), second, ks),
      after: await measure(chosen, second, ks),
    },
    threshold: {
      minScore,
      kept: share(await highestScores(chosen, second)),
      falseAnswers: texts.length > 0 ? share(await highestScores(chosen, texts)) : undefined,
    },
  };
}

function halves<T>(items: readonly T[], seed: number): [T[], T[]] {
  const first = sample(items, Math.floor(items.length / 2), seed);
  const taken = new Set(first);
  return [first, items.filter((item) => !taken.has(item))];
}

function isBetter(a: Figures, b: Figures): boolean {
  return (
    a.fullCoverage > b.fullCoverage || (a.fullCoverage === b.fullCoverage && a.recall > b.recall)
  );
}

async function measure(
  router: SkillRouter,
  requests: readonly EvalRequest[],
  ks: readonly number[],
): Promise<Figures> {
  const coverage: number[] = [];
  const found: number[] = [];
  for (const request of requests) {
    for (const k of ks) {
      const { skills } = await router.route(request.text, { k });
      const ids = skills.map(({ id }) => id);
      coverage.push(fullCoverage(ids, request, k));
      found.push(recall(ids, request, k));
    }
  }
  return { n: requests.length, fullCoverage: mean(coverage), recall: mean(found) };
}

/** The highest score that any candidate of each request has. */
async function highestScores(
  router: SkillRouter,
  requests: readonly { readonly text: string }[],
): Promise<Float64Array> {
  const scores = new Float64Array(requests.length);
  for (const [i, { text }] of requests.entries()) {
    const { trace } = await router.with({ minScore: -10 }).route(text, { k: 1 });
    scores[i] = trace.pool.reduce((most, { score }) => Math.max(most, score), -10);
  }
  return scores;
}

/** The settings that are not the defaults. */
function changed(settings: Settings, defaults: Settings): Partial<Settings> {
  const names = Object.keys(defaults) as (keyof Settings)[];
  return Object.fromEntries(
    names.filter((name) => settings[name] !== defaults[name]).map((name) => [name, settings[name]]),
  );
}
