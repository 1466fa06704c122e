import { Prose, unexpected } from '../errors.ts';
import type { Progress } from '../routing/types.ts';
import { wholeNumber } from '../validate.ts';
import type { Dataset, EvalRequest } from './datasets/dataset.ts';
import { type Example, Examples } from './examples.ts';
import type { Method, Ranking } from './methods/method.ts';
import { scoreRankings } from './metrics.ts';
import { redundancy } from './redundancy.ts';
import { type MethodResult, STAGES, type StageTimes, summarise } from './summary.ts';
import type { Workbench } from './workbench.ts';

/** Coverage of a shortlist of ten is the figure that examples are taken from. */
const EXAMPLE_K = 10;

export interface EvaluateOptions {
  /** Shortlist sizes, at least 1. */
  readonly ks: readonly number[];
  /** Name of the method that the others are compared with; one of the methods. */
  readonly baseline: string;
  /** Bootstrap resamples. Default 2,000. */
  readonly resamples?: number;
  /** Of the bootstrap. Default 1. */
  readonly seed?: number;
  /** Called after every request. */
  readonly onProgress?: Progress;
}

export interface Evaluation {
  readonly dataset: {
    readonly name: string;
    readonly format: string;
    readonly skills: number;
    readonly requests: number;
    readonly notes: readonly string[];
  };
  readonly config: {
    /** Ascending. */
    readonly k: readonly number[];
    readonly baseline: string;
    readonly resamples: number;
    readonly seed: number;
    /** Fingerprint of the encoder. */
    readonly encoder: string;
  };
  /** By name, in the order of the methods. */
  readonly methods: Readonly<Record<string, MethodResult>>;
  readonly examples: readonly Example[];
}

/** What one method answered so far. */
interface Tally {
  readonly scores: Float64Array[];
  readonly times: StageTimes;
  /** Of each k. */
  readonly redundancies: number[][];
}

/**
 * Asks every method every request and sums up. The methods take turns, each as often the first as any other,
 * so that neither a slow minute of the machine nor the caches that encoding leaves cold favour one.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE` for a k, resamples or seed; `ERR_INVALID_ARGUMENT` for a baseline
 *   that is no method, two methods of one name, or a method that ranks a skill twice, an unknown one or more
 *   than k.
 */
export async function evaluate(
  dataset: Dataset,
  bench: Workbench,
  methods: readonly Method[],
  { baseline, resamples = 2_000, seed = 1, onProgress, ...options }: EvaluateOptions,
): Promise<Evaluation> {
  const { requests, name, format, notes } = dataset;
  const ks = checkKs(options.ks);
  wholeNumber('resamples', resamples, 1, 1_000_000);
  wholeNumber('seed', seed, 0, 0xffff_ffff);
  const tallies = checkMethods(methods, baseline, ks.length);
  const exampleK = ks.includes(EXAMPLE_K) ? EXAMPLE_K : ks.at(-1)!;
  const examples = new Examples(exampleK);

  for (const [i, request] of requests.entries()) {
    const atExampleK = new Map<string, Ranking>();
    for (const method of rotated(methods, i)) {
      const rankings = await rankAll(method, request, ks, bench, tallies.get(method.name)!);
      atExampleK.set(method.name, rankings[ks.indexOf(exampleK)]!);
    }
    const reference = atExampleK.get(baseline)!;
    for (const { name } of methods) {
      examples.add(name, request, atExampleK.get(name)!, reference);
    }
    onProgress?.(i + 1, requests.length);
  }

  const reference = tallies.get(baseline)!;
  const results = [...tallies].map(([name, tally]) => {
    const compared = tally === reference ? undefined : reference.scores;
    return [name, summarise(requests, ks, tally, compared, { resamples, seed })] as const;
  });
  return {
    dataset: { name, format, skills: bench.skills.length, requests: requests.length, notes },
    config: { k: ks, baseline, resamples, seed, encoder: bench.encoder.fingerprint },
    methods: Object.fromEntries(results),
    examples: examples.all,
  };
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const first = by % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

/** The rankings of one request, one a k, added to the tally. */
async function rankAll(
  method: Method,
  request: EvalRequest,
  ks: readonly number[],
  bench: Workbench,
  tally: Tally,
): Promise<Ranking[]> {
  const rankings: Ranking[] = [];
  for (const k of method.dependsOnK ? ks : ks.slice(-1)) {
    const ranking = await method.rank(request.text, k);
    const encode = bench.encoder.takeCost();
    checkRanking(method.name, ranking.ids, k, bench);
    // The times of the largest k stand for the method.
    if (k === ks.at(-1)) {
      const times = { ...ranking.milliseconds, encode };
      for (const stage of STAGES) {
        if (times[stage] !== undefined) tally.times[stage].push(times[stage]);
      }
    }
    rankings.push(ranking);
  }
  if (!method.dependsOnK) {
    const [longest] = rankings;
    rankings.splice(0, 1, ...ks.map((k) => beginning(longest!, k)));
  }
  for (const [i, { ids }] of rankings.entries()) {
    const overlap = redundancy(ids.map((id) => bench.vector(bench.rowOf(id)!)));
    if (overlap !== undefined) tally.redundancies[i]!.push(overlap);
  }
  tally.scores.push(
    scoreRankings(
      rankings.map(({ ids }) => ids),
      request,
      ks,
    ),
  );
  return rankings;
}

function beginning({ ids, milliseconds, trace }: Ranking, k: number): Ranking {
  const cut = trace && { trace: { ...trace, skills: trace.skills.slice(0, k) } };
  return { ids: ids.slice(0, k), milliseconds, ...cut };
}

/** Ascending, each once. */
export function checkKs(ks: readonly number[]): number[] {
  if (ks.length === 0) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'k', 'at least one number', new Prose('none'));
  }
  for (const k of ks) wholeNumber('k', k, 1, 1_000_000);
  return [...new Set(ks)].sort((a, b) => a - b);
}

function checkMethods(
  methods: readonly Method[],
  baseline: string,
  ks: number,
): ReadonlyMap<string, Tally> {
  const tallies = new Map<string, Tally>();
  for (const { name } of methods) {
    if (tallies.has(name)) {
      throw unexpected('ERR_INVALID_ARGUMENT', 'methods', 'each method once', name);
    }
    tallies.set(name, {
      scores: [],
      times: { encode: [], search: [], select: [] },
      redundancies: Array.from({ length: ks }, () => []),
    });
  }
  if (!tallies.has(baseline)) {
    const expected = `one of the methods, ${[...tallies.keys()].join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'baseline', expected, baseline);
  }
  return tallies;
}

/** A skill that comes twice would gain twice: a method that is wrong must not look good. */
function checkRanking(name: string, ids: readonly string[], k: number, bench: Workbench): void {
  const isSound =
    ids.length <= k &&
    new Set(ids).size === ids.length &&
    ids.every((id) => bench.rowOf(id) !== undefined);
  if (isSound) return;
  const came = new Prose(ids.join(', '));
  throw unexpected('ERR_INVALID_ARGUMENT', name, `at most ${k} skills, each once`, came);
}
