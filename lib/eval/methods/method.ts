/** Why a method ranked as it did; what it does not know it leaves out. */
export interface Trace {
  /** The clauses into which it split the request. */
  readonly facets?: readonly string[];
  /** The skills of the ranking, in its order. */
  readonly skills: readonly TracedSkill[];
}

export interface TracedSkill {
  readonly id: string;
  /** What the method ordered by: a cosine, a BM25 score, a fused rank. */
  readonly score?: number;
  readonly quality?: number;
  /** Place in the greedy order, from 1; undefined also for a skill that only completed the shortlist. */
  readonly step?: number;
  /** Marginal gain of that step. */
  readonly gain?: number;
}

/** The answer of a method to one request. */
export interface Ranking {
  /** At most k ids, best first, each once. */
  readonly ids: readonly string[];
  /** Time in the stages after encoding, which the harness measures itself. */
  readonly milliseconds: { readonly search?: number; readonly select?: number };
  readonly trace?: Trace;
}

/** A way of choosing skills for a request. */
export interface Method {
  readonly name: string;
  /**
   * Whether the ranking for a smaller k is not the beginning of that for a larger one, as with methods that
   * choose a set. These run once for every k.
   */
  readonly dependsOnK: boolean;
  rank(request: string, k: number): Promise<Ranking>;
}

/** A result with the time it took. */
export function timed<T>(work: () => T): [result: T, milliseconds: number] {
  const started = performance.now();
  const result = work();
  return [result, performance.now() - started];
}
