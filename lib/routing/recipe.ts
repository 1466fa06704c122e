import { unexpected } from '../errors.ts';
import { numberBetween, wholeNumber } from '../validate.ts';

/** What may be tuned to a registry; see `skillspan tune`. */
export interface Settings {
  /** Candidates by embedding for the whole request. */
  readonly candidates: number;
  /** λ of the residual kernel. */
  readonly lambda: number;
  /** β in log q = β (score − highest score). By default it follows the registry's redundancy. */
  readonly sharpness: number;
  /** w in φ = (1 + (1 − w) z_i·z_j + w u_i·u_j) / 2. */
  readonly facetWeight: number;
  /** A skill with a lower absolute score is not chosen. */
  readonly minScore: number;
}

/** Of a registry whose skills have near neighbours; see {@link defaultSettings} for others. */
export const DEFAULT_SETTINGS: Settings = {
  candidates: 50,
  lambda: 0.85,
  sharpness: 15,
  facetWeight: 0.8,
  minScore: -10,
};

/**
 * The defaults for a registry: the less redundant its skills, the sharper their quality, up to twice
 * the β of a redundant one, so that diversity costs little where there is nothing to gain by it. See
 * docs/decisions/2026-12-01-redundancy.md.
 * @param redundancy see {@link redundancyOf}.
 */
export function defaultSettings(redundancy: number): Settings {
  const { redundant, distinct } = RECIPE;
  const share = (redundant - redundancy) / (redundant - distinct);
  const sharpness = DEFAULT_SETTINGS.sharpness * (1 + Math.min(1, Math.max(0, share)));
  return { ...DEFAULT_SETTINGS, sharpness };
}

/**
 * Settings with the defaults filled in.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for a setting that there is not, `ERR_OUT_OF_RANGE`.
 */
export function readSettings(
  settings: Partial<Settings> = {},
  defaults: Settings = DEFAULT_SETTINGS,
): Settings {
  const known = Object.keys(DEFAULT_SETTINGS);
  const unknown = Object.keys(settings).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const expected = `some of ${known.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'settings', expected, unknown);
  }
  const merged = { ...defaults, ...settings };
  wholeNumber('candidates', merged.candidates, 1, 1_000_000);
  numberBetween('lambda', merged.lambda, 0, 1);
  numberBetween('sharpness', merged.sharpness, 0, 1e6);
  numberBetween('facetWeight', merged.facetWeight, 0, 1);
  numberBetween('minScore', merged.minScore, -10, 10);
  return merged;
}

/**
 * The rest of what routing does, found by experiment on several sets at once. See
 * docs/decisions/2026-11-30-facets-and-quality.md for what each number was measured against.
 */
export const RECIPE = {
  /** Nearest skills of each facet that become candidates by embedding … */
  dense: { facet: 10 },
  /** … and of the whole request and each facet by words. */
  lexical: { whole: 20, facet: 5 },
  /** How much a word counts in each part of a skill. */
  fieldWeights: { name: 2, description: 1, body: 0.25 },
  /**
   * BM25 is measured in units of 2.2 ln(1 + N), which is what one rare word gives at most, so that it
   * is comparable between requests and registries; x units count as 2 (1 − exp(−x / 2)).
   */
  saturation: 2,
  /** What a unit adds to a cosine. */
  lexicalWeight: 0.2,
  /**
   * Part of a text's mean cosine with all skills that is taken off its cosines: a vague text is a
   * little like everything.
   */
  centring: 0.5,
  /** Weight of the best facet in a score; the rest is the whole request's. */
  facetShare: 0.75,
  /**
   * From so many facets on, what they say of candidates counts for less: many clauses of a long
   * request are no needs. w is multiplied by min(1, this / facets).
   */
  tellingFacets: 8,
  /** From this redundancy on a registry has the lower β, up to this one the higher. */
  redundant: 0.6,
  distinct: 0.35,
  /** Sharpness of the softmax over facets that says which of them a skill serves. */
  facetSharpness: 40,
} as const;
