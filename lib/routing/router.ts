import { join } from 'node:path';
import { Prose, SkillspanError, unexpected } from '../errors.ts';
import { type Encoder, OnnxEncoder } from '../models/encoder.ts';
import { INDEX_VIEW_VERSION } from '../registry/index-view.ts';
import { type Registry, readRegistry, type Skill } from '../registry/registry.ts';
import { method, numberBetween, wholeNumber } from '../validate.ts';
import { DEFAULT_LAMBDA, DEFAULT_SHARPNESS, VectorIndex } from '../vector-index.ts';
import { embedSkills } from './embed.ts';
import { toShortlist } from './shortlist.ts';
import type {
  MemoryRouterOptions,
  OpenReport,
  RouteOptions,
  RouteResult,
  RouterOptions,
} from './types.ts';

/** Answers requests over one registry with the set of skills that covers them. */
export class SkillRouter {
  /** What opening the registry found and did: counts, warnings, the cache. */
  readonly report: OpenReport;
  readonly #skills: readonly Skill[];
  readonly #index: VectorIndex;
  readonly #encoder: Encoder;
  readonly #ownsEncoder: boolean;
  #disposed = false;

  private constructor(
    skills: readonly Skill[],
    index: VectorIndex,
    encoder: Encoder,
    ownsEncoder: boolean,
    report: OpenReport,
  ) {
    this.#skills = skills;
    this.#index = index;
    this.#encoder = encoder;
    this.#ownsEncoder = ownsEncoder;
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
      const index = VectorIndex.from(vectors, { dim: encoder.dim });
      const report = { skills: skills.length, dim: encoder.dim, cacheDir, warnings, ...counts };
      return new SkillRouter(skills, index, encoder, !options.encoder, report);
    } catch (error) {
      if (!options.encoder) await encoder.dispose();
      throw error;
    }
  }

  /** The skills of the registry, sorted by id; those given in memory in the order given. */
  get skills(): readonly Skill[] {
    return this.#skills;
  }

  /**
   * The skills that together cover a request, by quality.
   * @param request the user's text; must hold more than white space.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`, `ERR_DISPOSED`.
   */
  async route(request: string, options: RouteOptions = {}): Promise<RouteResult> {
    if (this.#disposed) {
      throw new SkillspanError(
        'ERR_DISPOSED',
        'router: expected an open router, got a disposed one',
      );
    }
    if (typeof request !== 'string' || request.trim() === '') {
      throw unexpected('ERR_INVALID_ARGUMENT', 'request', 'a text', request);
    }
    const size = this.#index.size;
    const wantedK = wholeNumber('k', options.k ?? 10, 1, 1_000_000);
    const wantedM = options.candidates ?? Math.max(50, wantedK);
    wholeNumber('candidates', wantedM, wantedK, 1_000_000);
    const chosenMethod = method(options.method ?? 'dsr');
    const lambda = numberBetween('lambda', options.lambda ?? DEFAULT_LAMBDA, 0, 1);
    // A registry smaller than the pool or the shortlist is no error: the caller cannot know its size.
    const k = Math.min(wantedK, size);
    const candidates = Math.min(wantedM, size);
    const aborting = options.signal ? { signal: options.signal } : {};

    const started = performance.now();
    const query = await this.#encoder.encode([request], { kind: 'query', ...aborting });
    const encoded = performance.now();
    const [routed] = await this.#index.route(
      query,
      { k, candidates, lambda, method: chosenMethod, sharpness: DEFAULT_SHARPNESS, explain: true },
      aborting,
    );
    const selected = performance.now();

    const { skills, pool } = toShortlist(routed!, this.#skills, DEFAULT_SHARPNESS);
    return {
      skills,
      trace: {
        method: chosenMethod,
        k,
        candidates,
        lambda,
        filled: routed!.filled.length,
        pool,
        milliseconds: { encode: encoded - started, select: selected - encoded },
      },
    };
  }

  /** Frees the model, unless the caller brought its own encoder. Idempotent. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    if (this.#ownsEncoder) await this.#encoder.dispose();
  }
}

/** The encoder a router opens for itself; a `path` is that of a model folder. */
export function openEncoder(path?: string): Promise<Encoder> {
  return OnnxEncoder.open({ textView: `index-view-${INDEX_VIEW_VERSION}`, ...(path && { path }) });
}
