import type { Method } from '../contract.ts';
import type { Encoder } from '../models/encoder.ts';
import type { Reranker } from '../models/reranker.ts';
import type { Progress } from '../registry/progress.ts';
import type { RegistryWarning } from '../registry/registry.ts';
import type { SyncReport } from '../registry/sync-report.ts';
import type { Filter } from './filter.ts';
import type { Settings } from './recipe.ts';

export type { Progress };

/** Splits a request into the needs that it states, each in words of its own. */
export type Decomposer = (request: string, signal?: AbortSignal) => Promise<readonly string[]>;

export interface RouterOptions {
  /** One or more folders; every SKILL.md below them is a skill. Default: the store as it is. */
  registry?: string | readonly string[];
  /** Default: the bge-small-en-v1.5 package, or the model folder at `model`. */
  encoder?: Encoder;
  /** For the default encoder: a Hugging Face style folder, a preset's name, or a hub repository. */
  model?: string;
  /** Reads the best candidates together with the request, for their quality. It stays the caller's. Default: none. */
  reranker?: Reranker;
  /** Where the store of skills and embeddings is. Default: `.skillspan` in the first folder. */
  cacheDir?: string;
  /** Whether a store of another encoder is to be embedded anew, rather than an error. Default false. */
  reEmbed?: boolean;
  /**
   * Finds the facets of requests, such as `decomposeWith(model)` of `skillspan/ai`. Default, and where
   * it fails: {@link splitIntoFacets}.
   */
  decompose?: Decomposer;
  /** What `skillspan tune` found for the registry, or part of it. */
  settings?: Partial<Settings>;
  /** Called while skills that are not in the cache are embedded. */
  onProgress?: Progress;
  signal?: AbortSignal;
}

/** Skills in memory have no folder beside which to keep their embeddings. */
export interface MemoryRouterOptions extends Omit<RouterOptions, 'registry' | 'reEmbed'> {
  cacheDir: string;
}

/** How candidates are found and scored: by embedding, by words, or by both. */
export type Retriever = 'hybrid' | 'dense' | 'bm25' | 'tfidf';

export const RETRIEVERS: readonly Retriever[] = ['hybrid', 'dense', 'bm25', 'tfidf'];

export interface RouteOptions {
  /** Shortlist size, at least 1; a smaller registry gives all its skills. Default 10. */
  k?: number;
  /** Candidates by embedding for the whole request, at least k. Default 50, or k if larger. */
  candidates?: number;
  /** Default `dsr`. */
  method?: Method;
  /** In [0, 1]. `dsr`: mixing coefficient λ; `mmr`: weight of relevance. Default 0.85. */
  lambda?: number;
  /** Default `hybrid`. */
  retriever?: Retriever;
  /** The clauses of the request; or whether to find them. Default true. */
  facets?: boolean | readonly string[];
  /** Ids of skills that are in the shortlist whatever is asked. */
  pinned?: readonly string[];
  /** Ids of skills that are not. */
  excluded?: readonly string[];
  /** Ids of the only skills that may be; none, if it is empty. Default: all. */
  allowed?: readonly string[];
  /** What skills must be, before anything is searched. Default: anything. */
  where?: Filter;
  /** A skill with a lower score is not chosen. Default: none; 0.68 is a good beginning. */
  minScore?: number;
  /** What the shortlist may cost at most, prerequisites included. */
  budget?: Budget;
  /** Whether to stop before k where a further skill adds nothing. Default false. */
  adaptive?: boolean;
  /** Best candidates that the reranker reads. Default 50. */
  rerankPool?: number;
  /** Time for the reranker, in milliseconds; then what it has done serves. Default: no limit. */
  rerankBudgetMs?: number;
  /** `id` keeps the order of equal shortlists equal, for prompt caches. Default `quality`. */
  order?: 'quality' | 'id';
  signal?: AbortSignal;
}

export interface Budget {
  /** Tokens of the skills' whole text, as estimated from its length. Default: no limit. */
  tokens?: number;
  /** Number of skills. Default: no limit but k. */
  count?: number;
}

/** A candidate that plain top-k would have shown, left out because a chosen skill covers it. */
export interface KeptOut {
  readonly id: string;
  readonly name: string;
  readonly score: number;
  /** Kernel overlap φ with the chosen skill, in [0, 1]. */
  readonly overlap: number;
}

/**
 * Why a skill is in the shortlist: the method chose it; it completed the shortlist where the method
 * stopped early; the caller pinned it; the request names it; a chosen one requires it.
 */
export type Reason = 'chosen' | 'filled' | 'pinned' | 'named' | 'prerequisite';

/** How like the request a skill is, part by part. */
export interface Match {
  /** Of the whole request and the best facet together; absolute, so comparable between requests. */
  readonly score: number;
  /** Cosine similarity with the whole request. */
  readonly similarity: number;
  /** BM25, or TF-IDF, of the whole request. */
  readonly words: number;
  /** The reranker's; undefined for one that it has not read. */
  readonly logit?: number | undefined;
  /** Places, in the trace's `facets`, of those that it serves; the best first. */
  readonly facets: readonly number[];
}

export interface ShortlistedSkill extends Match {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  /** Place in the shortlist by quality, from 1. */
  readonly rank: number;
  /** In (0, 1]: exp(β (s − highest s)), s the score less what the request shares with every skill. */
  readonly quality: number;
  readonly reason: Reason;
  /** Place in the greedy order, from 1; undefined for one that the method did not choose. */
  readonly step: number | undefined;
  /** Marginal gain of that step; undefined where there was no choice. */
  readonly gain: number | undefined;
  readonly keptOut: readonly KeptOut[];
}

export interface RouteTrace {
  readonly method: Method;
  readonly retriever: Retriever;
  readonly k: number;
  readonly lambda: number;
  /** The clauses of the request; empty where it has but one. */
  readonly facets: readonly string[];
  /** Skills that completed the shortlist where the method stopped early. */
  readonly filled: number;
  /** Estimated tokens of the shortlist's skills. */
  readonly tokens: number;
  /** Every candidate by quality, with the chosen one that overlaps it most. */
  readonly pool: readonly TracedCandidate[];
  /** Candidates that the reranker was to read, and has read; undefined where it read none. */
  readonly reranked: { readonly pool: number; readonly done: number } | undefined;
  /** What failed and was done without. */
  readonly degraded: string | undefined;
  readonly milliseconds: {
    readonly encode: number;
    readonly search: number;
    /** 0 without a reranker. */
    readonly rerank: number;
    readonly select: number;
  };
}

export interface TracedCandidate extends Match {
  readonly id: string;
  readonly quality: number;
  readonly chosen: boolean;
  /** The skill chosen before this candidate that overlaps it most, and by how much. */
  readonly nearest: { readonly id: string; readonly overlap: number } | undefined;
}

/** Nothing in the registry serves the request well enough. */
export interface NoMatch {
  readonly reason: string;
  /** The highest score of all candidates; undefined where there were none. */
  readonly score: number | undefined;
}

export interface RouteResult {
  /** By quality, or as asked for. */
  readonly skills: readonly ShortlistedSkill[];
  readonly noMatch: NoMatch | undefined;
  readonly trace: RouteTrace;
}

/** What opening a registry found and did. */
export interface OpenReport {
  readonly skills: number;
  /** Texts embedded now, and texts whose embeddings came from the cache. */
  readonly embedded: number;
  readonly cached: number;
  readonly dim: number;
  /** How alike the skills are; the default sharpness follows it. See {@link redundancyOf}. */
  readonly redundancy: number;
  readonly cacheDir: string;
  readonly warnings: readonly RegistryWarning[];
  /** What of the store could not be read or written, and what was done about it. */
  readonly cacheProblem: string | undefined;
  /** What became of the skill files; undefined for skills in memory. */
  readonly files: FileCounts | undefined;
}

/** See {@link SyncReport}. */
export type FileCounts = Pick<
  SyncReport,
  'added' | 'changed' | 'removed' | 'unchanged' | 'skipped'
>;

export interface WatchOptions {
  /** Called after files changed and what they say is visible; counts and warnings are of these files. */
  onSync?: (report: SyncReport) => void;
  /** Called where a change could not be taken over, or folders not be watched; the router goes on. */
  onProblem?: (problem: Error) => void;
}
