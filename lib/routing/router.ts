import { join } from 'node:path';
import { Prose, SkillspanError, unexpected } from '../errors.ts';
import { type Encoder, OnnxEncoder } from '../models/encoder.ts';
import { INDEX_VIEW_VERSION } from '../registry/index-view.ts';
import { type Registry, readRegistry, type Skill } from '../registry/registry.ts';
import { Catalog } from './catalog.ts';
import { type Candidates, choose } from './choosing.ts';
import { readRequest, type Turn } from './conversation.ts';
import { embedSkills } from './embed.ts';
import { findFacets } from './find-facets.ts';
import { allowedRows, checkPinned, forcedRows, type Policy, readPolicy } from './policy.ts';
import { defaultSettings, RECIPE, readSettings, type Settings } from './recipe.ts';
import { type Pool, type Query, retrieve } from './retrieval.ts';
import { type Scores, score } from './scoring.ts';
import { type Parts, toShortlist } from './shortlist.ts';
import type {
  Decomposer,
  MemoryRouterOptions,
  NoMatch,
  OpenReport,
  RouteOptions,
  RouteResult,
  RouterOptions,
} from './types.ts';

interface Owned {
  readonly ownsEncoder: boolean;
  readonly decompose: Decomposer | undefined;
  readonly settings: Partial<Settings> | undefined;
}

/** Answers requests over one registry with the set of skills that covers them. */
export class SkillRouter {
  /** What opening the registry found and did: counts, warnings, the cache. */
  readonly report: OpenReport;
  /** Those given, and the defaults for this registry. */
  readonly settings: Settings;
  readonly #catalog: Catalog;
  readonly #encoder: Encoder;
  readonly #ownsEncoder: boolean;
  readonly #decompose: Decomposer | undefined;
  #disposed = false;

  private constructor(
    catalog: Catalog,
    encoder: Encoder,
    report: OpenReport,
    { ownsEncoder, decompose, settings }: Owned,
  ) {
    this.#catalog = catalog;
    this.#encoder = encoder;
    this.#ownsEncoder = ownsEncoder;
    this.#decompose = decompose;
    this.settings = readSettings(settings, defaultSettings(catalog.redundancy));
    this.report = report;
  }

  /**
   * Reads every SKILL.md below the registry's folders, embeds those that are not in the cache, and
   * builds the index. One bad file costs a warning in {@link report}, never the rest.
   * @throws {SkillspanError} `ERR_REGISTRY_NOT_FOUND`; `ERR_EMPTY_INDEX` if no skill was usable;
   *   `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`, `ERR_MODEL_MISMATCH` from the encoder.
   */
  static async open(options: RouterOptions): Promise<SkillRouter> {
    const { signal } = options;
    const registry = await readRegistry(options.registry, signal ? { signal } : {});
    if (registry.skills.length === 0) {
      const came = `none (${registry.warnings.length} warnings)`;
      throw unexpected(
        'ERR_EMPTY_INDEX',
        'registry',
        `at least one usable SKILL.md below ${registry.roots.join(', ')}`,
        new Prose(came),
      );
    }
    const cacheDir = options.cacheDir ?? join(registry.roots[0]!, '.skillspan');
    return SkillRouter.#build(registry, { ...options, cacheDir });
  }

  /**
   * The same over skills that are already in memory, in the order given.
   * @param skills at least one, each with an id of its own.
   * @throws {SkillspanError} `ERR_EMPTY_INDEX`; `ERR_INVALID_ARGUMENT` for an id that comes twice; as
   *   {@link open} from the encoder.
   */
  static async from(skills: readonly Skill[], options: MemoryRouterOptions): Promise<SkillRouter> {
    if (skills.length === 0) {
      throw unexpected('ERR_EMPTY_INDEX', 'skills', 'at least one skill', new Prose('none'));
    }
    const ids = new Set<string>();
    for (const [i, { id }] of skills.entries()) {
      if (ids.has(id)) {
        throw unexpected('ERR_INVALID_ARGUMENT', `skills[${i}].id`, 'an id of its own', id);
      }
      ids.add(id);
    }
    return SkillRouter.#build({ skills: [...skills], warnings: [] }, options);
  }

  static async #build(
    { skills, warnings }: Pick<Registry, 'skills' | 'warnings'>,
    { cacheDir, onProgress, signal, ...options }: MemoryRouterOptions,
  ): Promise<SkillRouter> {
    const encoder = options.encoder ?? (await openEncoder(options.model));
    try {
      const { vectors, ...counts } = await embedSkills(skills, encoder, cacheDir, {
        onProgress,
        signal,
      });
      const catalog = new Catalog(skills, vectors, encoder.dim);
      const { redundancy } = catalog;
      const { dim } = encoder;
      const report = { skills: skills.length, dim, redundancy, cacheDir, warnings, ...counts };
      const { decompose, settings } = options;
      const ownsEncoder = !options.encoder;
      return new SkillRouter(catalog, encoder, report, { ownsEncoder, decompose, settings });
    } catch (error) {
      if (!options.encoder) await encoder.dispose();
      throw error;
    }
  }

  /** The skills of the registry, sorted by id; those given in memory in the order given. */
  get skills(): readonly Skill[] {
    return this.#catalog.skills;
  }

  /**
   * A router over the same registry with other settings. It lives as long as this one.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`.
   */
  with(settings: Partial<Settings>): SkillRouter {
    const merged = { ...this.settings, ...settings };
    const owned = { ownsEncoder: false, decompose: this.#decompose, settings: merged };
    return new SkillRouter(this.#catalog, this.#encoder, this.report, owned);
  }

  /**
   * The skills that together cover a request, by quality.
   * @param request the user's text, which must hold more than white space; or a conversation, whose
   *   last turns are the request.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`, `ERR_DISPOSED`. Where the
   *   encoder fails, skills are found by words alone, and the trace says so.
   */
  async route(request: string | readonly Turn[], options: RouteOptions = {}): Promise<RouteResult> {
    if (this.#disposed) {
      throw new SkillspanError(
        'ERR_DISPOSED',
        'router: expected an open router, got a disposed one',
      );
    }
    const { signal } = options;
    const asked = readRequest(request);
    const catalog = this.#catalog;
    const policy = readPolicy(options, catalog, this.settings);
    checkPinned(policy, catalog);

    const started = performance.now();
    const { facets, problem } = await findFacets(asked.last, options, this.#decompose);
    const { query, degraded } = await this.#encode([asked.whole, ...facets], signal);
    const encoded = performance.now();
    const mentions = catalog.names.mentions(asked.last);
    const forced = forcedRows(policy, mentions);
    const { may } = policy;
    const called = mentions.map(({ row }) => row).filter((row) => !may || may(row));
    const pool = await retrieve(query, catalog.index, catalog.words.for(policy.retriever, query), {
      candidates: policy.candidates,
      allowed: allowedRows(policy, catalog.skills.length),
      included: [...forced, ...called],
      signal,
    });
    const searched = performance.now();
    const { candidates, parts, best } = ranked(pool, this.#score(pool, query, policy), {
      forced,
      minScore: policy.minScore,
    });
    // Without embeddings there is nothing to tell how candidates overlap.
    const choice = await choose(
      catalog,
      query.vectors?.subarray(0, catalog.index.dim) ?? catalog.mean,
      candidates,
      { ...policy, method: query.vectors ? policy.method : 'topk', forced, signal },
    );
    const { skills, pool: traced } = toShortlist(candidates, parts, choice, catalog.skills, policy);
    if (policy.order === 'id') skills.sort((a, b) => (a.id < b.id ? -1 : 1));
    const selected = performance.now();
    return {
      skills,
      noMatch: candidates.rows.length > policy.pinned.length ? undefined : noMatch(best, policy),
      trace: {
        method: policy.method,
        retriever: policy.retriever,
        k: Math.min(policy.limits.k, catalog.skills.length),
        lambda: policy.lambda,
        facets,
        filled: choice.selection.filled.length,
        tokens: choice.tokens,
        pool: traced,
        degraded: [problem, degraded].filter(Boolean).join('; ') || undefined,
        milliseconds: {
          encode: encoded - started,
          search: searched - encoded,
          select: selected - searched,
        },
      },
    };
  }

  async #encode(
    texts: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<{ query: Query; degraded: string | undefined }> {
    try {
      const options = { kind: 'query' as const, ...(signal && { signal }) };
      const vectors = await this.#encoder.encode(texts, options);
      return { query: { texts, vectors }, degraded: undefined };
    } catch (error) {
      signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      const degraded = `no embeddings, words alone: ${reason}`;
      return { query: { texts, vectors: undefined }, degraded };
    }
  }

  #score(pool: Pool, { texts, vectors }: Query, { retriever }: Policy): Scores {
    const { mean, units, index } = this.#catalog;
    const { dim } = index;
    const byWords = retriever === 'bm25' || retriever === 'tfidf' || !vectors;
    const means = texts.map((_, t) =>
      byWords ? 0 : dot(mean, vectors.subarray(t * dim, (t + 1) * dim)),
    );
    return score(pool, {
      texts: texts.length,
      means,
      cosineWeight: byWords ? 0 : 1,
      lexicalWeight: retriever === 'dense' && vectors ? 0 : RECIPE.lexicalWeight,
      units: retriever === 'tfidf' ? (x) => x / RECIPE.lexicalWeight : units,
    });
  }

  /** Frees the model, unless the caller brought its own encoder. Idempotent. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    if (this.#ownsEncoder) await this.#encoder.dispose();
  }
}

/** The encoder a router opens for itself: a folder, a preset or a hub repository. */
export function openEncoder(model?: string): Promise<Encoder> {
  return OnnxEncoder.open({
    textView: `index-view-${INDEX_VIEW_VERSION}`,
    ...(model && { model }),
  });
}

/** The pool by relative score, best first, less those of too low a score that were not forced. */
function ranked(
  { rows, cosines, words }: Pool,
  { relative, absolute, served }: Scores,
  { forced, minScore }: { forced: readonly number[]; minScore: number },
): { candidates: Candidates; parts: Parts; best: number | undefined } {
  const all = Array.from(rows.keys()).sort((a, b) => relative[b]! - relative[a]! || a - b);
  const left = all.filter((i) => absolute[i]! >= minScore || forced.includes(rows[i]!));
  const facets = served ? served.length / rows.length : 0;
  const some = new Float32Array(left.length * facets);
  for (const [place, i] of left.entries()) {
    some.set(served?.subarray(i * facets, (i + 1) * facets) ?? [], place * facets);
  }
  return {
    candidates: {
      rows: Uint32Array.from(left, (i) => rows[i]!),
      scores: Float64Array.from(left, (i) => relative[i]!),
      served: served && some,
    },
    parts: {
      score: left.map((i) => absolute[i]!),
      similarity: left.map((i) => cosines[i]!),
      words: left.map((i) => words[i]!),
    },
    best: absolute.length > 0 ? absolute.reduce((a, b) => Math.max(a, b)) : undefined,
  };
}

function noMatch(best: number | undefined, { minScore }: Policy): NoMatch {
  const reason =
    best === undefined
      ? 'no skill may be chosen'
      : `the best score is ${best.toFixed(3)}, and ${minScore} is asked for`;
  return { reason, score: best };
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}
