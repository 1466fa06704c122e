import { type BootstrapOptions, type Interval, pairedBootstrap } from './bootstrap.ts';
import type { EvalRequest } from './datasets/dataset.ts';
import { metricNames } from './metrics.ts';
import { mean, type Timing, timing } from './statistics.ts';

/** All requests, and those that need one skill or several. */
export const STRATA = ['all', 'single', 'multi'] as const;
export type Stratum = (typeof STRATA)[number];

export const STAGES = ['encode', 'search', 'select'] as const;
export type Stage = (typeof STAGES)[number];
export type StageTimes = Readonly<Record<Stage, number[]>>;

/** Means by metric, such as `FC@10`, and the number of requests `n`; no metric where n is 0. */
export interface Figures {
  readonly n: number;
  readonly [metric: string]: number;
}

/** One method's figures; numbers that nothing was measured for are null. */
export interface MethodResult extends Readonly<Record<Stratum, Figures>> {
  /** This method minus the baseline, with 95 % intervals, by metric; absent for the baseline itself. */
  readonly versusBaseline?: Readonly<Record<Stratum, Readonly<Record<string, Interval>>>>;
  /** `encode` is null where every vector came from the cache, or where the method encodes nothing. */
  readonly latencyMs: Readonly<Record<Stage, Timing | null>>;
  /** Mean pairwise cosine of the shortlist, by k, such as `@10`. */
  readonly redundancy: Readonly<Record<string, number | null>>;
}

/**
 * Sums up one method.
 * @param tally scores: a request each, the metrics in the order of their names; redundancies: of each k.
 * @param baseline scores of the baseline; undefined for the baseline itself.
 */
export function summarise(
  requests: readonly EvalRequest[],
  ks: readonly number[],
  tally: {
    readonly scores: readonly Float64Array[];
    readonly times: StageTimes;
    readonly redundancies: readonly (readonly number[])[];
  },
  baseline: readonly Float64Array[] | undefined,
  bootstrap: BootstrapOptions,
): MethodResult {
  const names = metricNames(ks);
  const members = (stratum: Stratum) => requestsOf(requests, stratum);
  const byStratum = <T>(of: (places: readonly number[]) => T) =>
    Object.fromEntries(STRATA.map((stratum) => [stratum, of(members(stratum))])) as Record<
      Stratum,
      T
    >;

  const figures = byStratum((places) => {
    const means = places.length === 0 ? [] : names.map((_, m) => mean(column(places, m)));
    return { n: places.length, ...named(names, means) };
  });
  return {
    ...figures,
    ...(baseline && { versusBaseline: byStratum((places) => compare(places, baseline)) }),
    latencyMs: Object.fromEntries(
      STAGES.map((stage) => [stage, timing(tally.times[stage]) ?? null]),
    ) as Record<Stage, Timing | null>,
    redundancy: Object.fromEntries(
      ks.map((k, i) => {
        const values = tally.redundancies[i]!;
        return [`@${k}`, values.length === 0 ? null : mean(values)];
      }),
    ),
  };

  function column(places: readonly number[], metric: number): number[] {
    return places.map((i) => tally.scores[i]![metric]!);
  }

  function compare(
    places: readonly number[],
    scores: readonly Float64Array[],
  ): Record<string, Interval> {
    if (places.length === 0) return {};
    const differences = names.map((_, m) =>
      places.map((i) => tally.scores[i]![m]! - scores[i]![m]!),
    );
    return named(names, pairedBootstrap(differences, bootstrap));
  }
}

function requestsOf(requests: readonly EvalRequest[], stratum: Stratum): number[] {
  return [...requests.keys()].filter(
    (i) => stratum === 'all' || (requests[i]!.gold.length === 1) === (stratum === 'single'),
  );
}

function named<T>(names: readonly string[], values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, i) => [names[i]!, value]));
}
