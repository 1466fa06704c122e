import { join } from 'node:path';
import { Prose, SkillspanError, unexpected } from '../errors.ts';
import { type Encoder, OnnxEncoder } from '../models/encoder.ts';
import type { FolderWatcher } from '../registry/folder-watcher.ts';
import { INDEX_VIEW_VERSION, indexView } from '../registry/index-view.ts';
import { checkRoots, type RegistryWarning, type Skill } from '../registry/registry.ts';
import { openRoots, type Root } from '../registry/roots.ts';
import { SkillStore } from '../registry/store/skill-store.ts';
import type { StoredSkill } from '../registry/store/stored-skill.ts';
import { syncStore } from '../registry/sync.ts';
import type { Catalog } from './catalog.ts';
import { choose } from './choosing.ts';
import { type Asked, readRequest, type Turn } from './conversation.ts';
import { embedSkills } from './embed.ts';
import { findFacets } from './find-facets.ts';
import { followFolders } from './follow-folders.ts';
import { LiveCatalog } from './live-catalog.ts';
import { checkPinned, forcedRows, type Policy, readPolicy } from './policy.ts';
import { ranked } from './ranked.ts';
import { defaultSettings, readSettings, type Settings } from './recipe.ts';
import { rerank } from './reranking.ts';
import { type Query, retrieve } from './retrieval.ts';
import { scorePool } from './score-pool.ts';
import { toShortlist } from './shortlist.ts';
import type {
  FileCounts,
  MemoryRouterOptions,
  NoMatch,
  OpenReport,
  RouteOptions,
  RouteResult,
  RouterOptions,
  WatchOptions,
} from './types.ts';

/** A store with skills in it, and what was done to fill it. */
interface Filled {
  readonly store: SkillStore;
  readonly embedded: number;
  readonly cached: number;
  readonly warnings: readonly RegistryWarning[];
  readonly files: FileCounts | undefined;
  readonly problem: string | undefined;
}

interface Parts {
  readonly live: LiveCatalog;
  readonly encoder: Encoder;
  readonly report: OpenReport;
  readonly options: Pick<MemoryRouterOptions, 'encoder' | 'decompose' | 'reranker' | 'settings'>;
  /** The folders of the registry; none for skills in memory. */
  readonly roots: readonly Root[];
  /** Whether the router goes on with what another one owns. */
  readonly borrowed: boolean;
}

/** Answers requests over one registry with the set of skills that covers them. */
export class SkillRouter {
  /** What opening the registry found and did: counts, warnings, the store. */
  readonly report: OpenReport;
  readonly #parts: Parts;
  #settings: { readonly of: Catalog; readonly settings: Settings } | undefined;
  #watcher: Promise<FolderWatcher> | undefined;
  #disposed = false;

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.report = parts.report;
    this.#settingsOf(parts.live.catalog);
  }

  /**
   * Makes the store of a registry say what every SKILL.md below its folders says, embeds the texts that
   * are new, and opens the indexes. One bad file costs a warning in {@link report}, never the rest.
   * Without folders, the store is opened as it is: what was imported, or what another process keeps up
   * to date.
   * @throws {SkillspanError} `ERR_REGISTRY_NOT_FOUND`; `ERR_EMPTY_INDEX` if no skill was usable;
   *   `ERR_MODEL_MISMATCH` for a store of another encoder; `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_INVALID`;
   *   `ERR_INVALID_ARGUMENT` for neither folders nor a store.
   */
  static async open(options: RouterOptions): Promise<SkillRouter> {
    const { registry } = options;
    const roots = registry === undefined ? [] : await openRoots(checkRoots(registry));
    const cacheDir = options.cacheDir ?? (roots[0] && join(roots[0].path, '.skillspan'));
    if (cacheDir === undefined) {
      const expected = 'folders, or cacheDir with a store';
      throw unexpected('ERR_INVALID_ARGUMENT', 'registry', expected, new Prose('neither'));
    }
    return SkillRouter.#build(cacheDir, roots, options, async (encoder) => {
      const store = SkillStore.open(cacheDir);
      try {
        const synced =
          roots.length > 0 ? await syncStore(store, roots, { ...options, encoder }) : undefined;
        if (store.size === 0) {
          const below = roots.map(({ path }) => path).join(', ');
          const expected = synced
            ? `at least one usable SKILL.md below ${below}`
            : `a store with skills in ${cacheDir}`;
          const came = new Prose(synced ? `none (${synced.warnings.length} warnings)` : 'none');
          throw unexpected('ERR_EMPTY_INDEX', 'registry', expected, came);
        }
        const { problem } = store;
        if (!synced) {
          // Counting the different texts would take as long as all the rest.
          const cached = store.size;
          return { store, embedded: 0, cached, warnings: [], files: undefined, problem };
        }
        const { embedded, cached, warnings, ...files } = synced;
        return { store, embedded, cached, warnings, files, problem };
      } catch (error) {
        store.close();
        throw error;
      }
    });
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
    const { cacheDir } = options;
    return SkillRouter.#build(cacheDir, [], options, async (encoder) => {
      const { vectors, cacheProblem, ...counts } = await embedSkills(
        skills,
        encoder,
        cacheDir,
        options,
      );
      const store = SkillStore.inMemory();
      store.embeddings(encoder).put(skills.map(indexView), vectors);
      store.takeIn(skills, encoder);
      return { store, ...counts, warnings: [], files: undefined, problem: cacheProblem };
    });
  }

  static async #build(
    cacheDir: string,
    roots: readonly Root[],
    options: Omit<MemoryRouterOptions, 'cacheDir'>,
    fill: (encoder: Encoder) => Promise<Filled>,
  ): Promise<SkillRouter> {
    const encoder = options.encoder ?? (await openEncoder(options.model));
    let store: SkillStore | undefined;
    try {
      const { problem, ...filled } = await fill(encoder);
      store = filled.store;
      const live = await LiveCatalog.open(store, encoder);
      const { size, redundancy } = live.catalog;
      const { embedded, cached, warnings, files } = filled;
      const report: OpenReport = {
        skills: size,
        embedded,
        cached,
        dim: encoder.dim,
        redundancy,
        cacheDir,
        warnings,
        cacheProblem: [problem, ...live.problems].filter(Boolean).join('; ') || undefined,
        files,
      };
      void live.save().catch(() => {});
      return new SkillRouter({ live, encoder, report, options, roots, borrowed: false });
    } catch (error) {
      store?.close();
      if (!options.encoder) await encoder.dispose();
      throw error;
    }
  }

  /** Those given, and the defaults for this registry. */
  get settings(): Settings {
    return this.#settingsOf(this.#parts.live.catalog);
  }

  /** Number of skills. */
  get size(): number {
    return this.#parts.live.catalog.size;
  }

  /** All skills, by row: a registry's by id, save those that came later. Reads every one of them. */
  get skills(): readonly StoredSkill[] {
    const { catalog } = this.#parts.live;
    return catalog.rows().map((row) => catalog.skill(row));
  }

  /** A skill by its id, or by that of any of its locations; undefined where there is none. */
  skill(id: string): StoredSkill | undefined {
    const { catalog } = this.#parts.live;
    const row = catalog.rowOf(id);
    return row === undefined ? undefined : catalog.skill(row);
  }

  /**
   * Follows the folders from now on: what comes, changes or goes is read, embedded and visible to the
   * next request, while those under way finish on what they began with. A file that breaks keeps its
   * last good version. Resolves once changes are seen; {@link dispose} ends it.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for a router over no folders, or one that watches.
   */
  async watch(options: WatchOptions = {}): Promise<void> {
    this.#checkOpen();
    const { live, encoder, roots, borrowed } = this.#parts;
    if (roots.length === 0 || borrowed || this.#watcher) {
      const expected = 'a router over folders that does not watch them yet';
      throw unexpected('ERR_INVALID_ARGUMENT', 'router', expected, new Prose('another one'));
    }
    this.#watcher = followFolders(live, roots, encoder, options);
    await this.#watcher;
  }

  /**
   * A router over the same registry with other settings. It lives as long as this one.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`.
   */
  with(settings: Partial<Settings>): SkillRouter {
    const options = { ...this.#parts.options, settings: { ...this.settings, ...settings } };
    return new SkillRouter({ ...this.#parts, options, borrowed: true });
  }

  #checkOpen(): void {
    if (this.#disposed) {
      throw new SkillspanError(
        'ERR_DISPOSED',
        'router: expected an open router, got a disposed one',
      );
    }
  }

  #settingsOf(catalog: Catalog): Settings {
    if (this.#settings?.of !== catalog) {
      const defaults = defaultSettings(catalog.redundancy);
      const settings = readSettings(this.#parts.options.settings, defaults);
      this.#settings = { of: catalog, settings };
    }
    return this.#settings.settings;
  }

  /**
   * The skills that together cover a request, by quality.
   * @param request the user's text, which must hold more than white space; or a conversation, whose
   *   last turns are the request.
   * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`, `ERR_DISPOSED`. Where the
   *   encoder fails, skills are found by words alone, and the trace says so.
   */
  async route(request: string | readonly Turn[], options: RouteOptions = {}): Promise<RouteResult> {
    this.#checkOpen();
    const asked = readRequest(request);
    return this.#parts.live.use((catalog) => this.#route(asked, options, catalog));
  }

  async #route(asked: Asked, options: RouteOptions, catalog: Catalog): Promise<RouteResult> {
    const { signal } = options;
    const policy = readPolicy(options, catalog, this.#settingsOf(catalog));
    checkPinned(policy, catalog);

    const started = performance.now();
    const { facets, problem } = await findFacets(
      asked.last,
      options,
      this.#parts.options.decompose,
    );
    const { query, degraded } = await this.#encode([asked.whole, ...facets], signal);
    const encoded = performance.now();
    const mentions = catalog.names.mentions(asked.last);
    const forced = forcedRows(policy, mentions);
    const { may } = policy;
    const called = mentions.map(({ row }) => row).filter(may);
    const pool = await retrieve(query, catalog.index, catalog.wordsFor(policy.retriever, query), {
      candidates: policy.candidates,
      allowed: policy.allowed,
      included: [...forced, ...called],
      signal,
    });
    const searched = performance.now();
    const { best, ...found } = ranked(pool, scorePool(pool, query, policy, catalog), {
      forced,
      minScore: policy.minScore,
    });
    const { candidates, parts, counts, ...reranking } = await rerank(
      found.candidates,
      found.parts,
      {
        reranker: this.#parts.options.reranker,
        request: asked.whole,
        sharpness: policy.sharpness,
        skillOf: (row) => catalog.skill(row),
        options,
      },
    );
    const reranked = performance.now();
    // Without embeddings there is nothing to tell how candidates overlap.
    const choice = await choose(
      catalog,
      query.vectors?.subarray(0, catalog.index.dim) ?? catalog.mean,
      candidates,
      { ...policy, method: query.vectors ? policy.method : 'topk', forced, signal },
    );
    const { skills, pool: traced } = toShortlist(
      candidates,
      parts,
      choice,
      (row) => catalog.card(row, policy.folders),
      policy,
    );
    if (policy.order === 'id') skills.sort((a, b) => (a.id < b.id ? -1 : 1));
    const selected = performance.now();
    return {
      skills,
      noMatch: candidates.rows.length > policy.pinned.length ? undefined : noMatch(best, policy),
      trace: {
        method: policy.method,
        retriever: policy.retriever,
        k: Math.min(policy.limits.k, catalog.size),
        lambda: policy.lambda,
        facets,
        filled: choice.selection.filled.length,
        tokens: choice.tokens,
        pool: traced,
        reranked: counts,
        degraded: [problem, degraded, reranking.problem].filter(Boolean).join('; ') || undefined,
        milliseconds: {
          encode: encoded - started,
          search: searched - encoded,
          rerank: reranked - searched,
          select: selected - reranked,
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
      const vectors = await this.#parts.encoder.encode(texts, options);
      return { query: { texts, vectors }, degraded: undefined };
    } catch (error) {
      signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      const degraded = `no embeddings, words alone: ${reason}`;
      return { query: { texts, vectors: undefined }, degraded };
    }
  }

  /** Closes the store, and frees the model unless the caller brought its own encoder. Idempotent. */
  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    const { borrowed, live, encoder, options } = this.#parts;
    if (borrowed) return;
    await (await this.#watcher)?.close();
    await live.close();
    if (!options.encoder) await encoder.dispose();
  }
}

/** The encoder a router opens for itself: a folder, a preset or a hub repository. */
export function openEncoder(model?: string): Promise<Encoder> {
  return OnnxEncoder.open({
    textView: `index-view-${INDEX_VIEW_VERSION}`,
    ...(model && { model }),
  });
}

function noMatch(best: number | undefined, { minScore }: Policy): NoMatch {
  const reason =
    best === undefined
      ? 'no skill may be chosen'
      : `the best score is ${best.toFixed(3)}, and ${minScore} is asked for`;
  return { reason, score: best };
}
