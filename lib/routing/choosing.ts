import type { Facets, Method, Selection } from '../contract.ts';
import { rowsAt } from '../rows.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { Catalog } from './catalog.ts';
import { requiredRows } from './policy.ts';
import { RECIPE } from './recipe.ts';

/** Candidates by relative score, best first. */
export interface Candidates {
  readonly rows: Uint32Array;
  /** What quality comes from; see Scores. */
  readonly scores: Float64Array;
  /** rows × facets; see Scores. */
  readonly served: Float32Array | undefined;
}

export interface Limits {
  readonly k: number;
  /** Tokens of the shortlist, and how many skills, prerequisites included. */
  readonly tokens: number;
  readonly count: number;
  /** Whether to stop before k where a further skill adds nothing. */
  readonly adaptive: boolean;
}

export interface Choosing {
  readonly method: Method;
  readonly lambda: number;
  /** Rows that are chosen first, in this order, and condition what is chosen after them. */
  readonly forced: readonly number[];
  readonly limits: Limits;
  /** Bitmap of the rows that may be shown at all; undefined for all. */
  readonly permitted: Uint32Array | undefined;
  readonly sharpness: number;
  readonly facetWeight: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Choice {
  /** Positions among the candidates. Its gains are meaningless for the forced ones. */
  readonly selection: Selection;
  /** How many of the first of `selection.order` were forced. */
  readonly forced: number;
  /** Rows of prerequisites of the chosen, which are not chosen themselves. */
  readonly prerequisites: readonly number[];
  readonly tokens: number;
}

/** Puts a forced candidate before all others. */
const FIRST = 1e6;

/**
 * A gain below this adds nothing: log q² + log d², so a candidate that is redundant, or of a score
 * that lies about 0.13 below the best one.
 */
const LEAST_GAIN = -4;

/** Selects under a budget: greedily, passing over what does not fit into what is left. */
export async function choose(
  catalog: Catalog,
  query: Float32Array,
  candidates: Candidates,
  options: Choosing,
): Promise<Choice> {
  if (candidates.rows.length === 0) {
    return { selection: nothing(), forced: 0, prerequisites: [], tokens: 0 };
  }
  let left = Array.from(candidates.rows.keys());
  for (;;) {
    const selection = await selectForced(catalog.index, query, candidates, left, options);
    const taken = take(selection, candidates, catalog, options);
    if (taken.misfit === undefined) return taken.choice;
    // What was taken stays: nothing passed over now was chosen before it. The rest must fit.
    const kept = new Set(taken.kept);
    const misfits = left.filter((i) => !kept.has(i) && !taken.fits(candidates.rows[i]!));
    left = left.filter((i) => !misfits.includes(i));
    if (left.length === 0) return { ...taken.choice, selection: nothing() };
  }
}

/**
 * A selection in which forced candidates stand even where they are redundant: near-copies of other forced
 * ones, which the method would leave out. They take the places of the last ones that it chose.
 */
async function selectForced(
  index: VectorIndex,
  query: Float32Array,
  candidates: Candidates,
  left: readonly number[],
  options: Choosing,
): Promise<Selection> {
  const selection = await select(index, query, candidates, left, options);
  const { limits, forced } = options;
  const chosen = new Set([...selection.order, ...selection.filled]);
  const first = forced.slice(0, limits.k).map((row) => candidates.rows.indexOf(row));
  const missing = first.filter((i) => left.includes(i) && !chosen.has(i));
  if (missing.length === 0) return selection;
  const others = left.filter((i) => !missing.includes(i));
  const k = limits.k - missing.length;
  const rest = await select(index, query, candidates, others, {
    ...options,
    limits: { ...limits, k },
  });
  return {
    ...rest,
    filled: Uint32Array.from([...missing, ...rest.filled]),
    ranked: Uint32Array.from([...missing, ...rest.ranked]),
  };
}

async function select(
  index: VectorIndex,
  query: Float32Array,
  { rows, scores, served }: Candidates,
  left: readonly number[],
  { method, lambda, sharpness, facetWeight, forced, limits, signal }: Choosing,
): Promise<Selection> {
  const logarithmic = method === 'dsr' || method === 'dpp-cosine';
  const best = scores[left[0]!]!;
  const relevance = Float64Array.from(left, (i) => {
    const place = forced.indexOf(rows[i]!);
    if (place >= 0) return FIRST - place;
    return logarithmic ? sharpness * (scores[i]! - best) : scores[i]!;
  });
  const selection = await index.select(
    {
      query,
      ids: left.map((i) => rows[i]!),
      relevance,
      method,
      k: Math.min(limits.k, left.length),
      lambda,
      explain: true,
      ...(served && { facets: facetsOf(served, rows.length, left, facetWeight) }),
    },
    signal ? { signal } : {},
  );
  const place = (i: number) => left[i]!;
  const { nearest, overlap } = selection.overlaps!;
  // Of every candidate again, also of those that were passed over.
  const allNearest = new Int32Array(rows.length).fill(-1);
  const allOverlap = new Float32Array(rows.length);
  for (const [i, at] of left.entries()) {
    if (nearest[i]! >= 0) allNearest[at] = place(nearest[i]!);
    allOverlap[at] = overlap[i]!;
  }
  return {
    order: selection.order.map(place),
    gains: selection.gains,
    filled: selection.filled.map(place),
    ranked: selection.ranked.map(place),
    overlaps: { nearest: allNearest, overlap: allOverlap },
  };
}

function facetsOf(
  served: Float32Array,
  m: number,
  left: readonly number[],
  weight: number,
): Facets {
  const count = served.length / m;
  const vectors = rowsAt(served, count, left);
  return { vectors, count, weight: weight * Math.min(1, RECIPE.tellingFacets / count) };
}

/** Takes what was selected, one after the other, until something does not fit. */
function take(selection: Selection, { rows }: Candidates, catalog: Catalog, options: Choosing) {
  const { limits } = options;
  const wanted = enough(selection, rows, options);
  const skills = new Set<number>();
  let tokens = 0;
  const needed = (row: number) =>
    [row, ...requiredRows(row, catalog, options.permitted)].filter((r) => !skills.has(r));
  const cost = (some: readonly number[]) =>
    some.reduce((sum, row) => sum + catalog.tokensOf(row), 0);
  const fits = (row: number) => {
    const more = needed(row);
    return tokens + cost(more) <= limits.tokens && skills.size + more.length <= limits.count;
  };
  const kept: number[] = [];
  let misfit: number | undefined;
  const isForced = (i: number) => options.forced.includes(rows[i]!);
  const all = [...wanted.order, ...wanted.filled];
  for (const i of [...all.filter(isForced), ...all.filter((i) => !isForced(i))]) {
    if (!fits(rows[i]!)) {
      misfit = i;
      break;
    }
    kept.push(i);
    for (const row of needed(rows[i]!)) {
      tokens += catalog.tokensOf(row);
      skills.add(row);
    }
  }
  const chosen = new Set(kept.map((i) => rows[i]!));
  const forced = wanted.order.findIndex((i) => !isForced(i));
  const choice: Choice = {
    selection: wanted,
    forced: forced < 0 ? wanted.order.length : forced,
    prerequisites: [...skills].filter((row) => !chosen.has(row)),
    tokens,
  };
  return { choice, kept, misfit, fits };
}

/** A selection cut where a further skill adds nothing, if that is asked for. */
function enough(selection: Selection, rows: Uint32Array, options: Choosing): Selection {
  if (!options.limits.adaptive) return selection;
  const { order, gains, ranked } = selection;
  const end = order.findIndex(
    (i, t) => gains[t]! < LEAST_GAIN && !options.forced.includes(rows[i]!),
  );
  const kept = end < 0 ? order : order.subarray(0, end);
  const forced = selection.filled.filter((i) => options.forced.includes(rows[i]!));
  const chosen = new Set([...kept, ...forced]);
  return {
    ...selection,
    order: kept,
    gains: gains.subarray(0, kept.length),
    filled: forced,
    ranked: ranked.filter((i) => chosen.has(i)),
  };
}

function nothing(): Selection {
  const none = new Uint32Array(0);
  return { order: none, gains: new Float64Array(0), filled: none, ranked: none };
}
