import type { Method } from '../contract.ts';
import type { Encoder } from '../models/encoder.ts';
import type { RegistryWarning } from '../registry/registry.ts';

/** How far the embedding of a registry has come, in skills. */
export type Progress = (done: number, total: number) => void;

export interface RouterOptions {
  /** One or more folders; every SKILL.md below them is a skill. */
  registry: string | readonly string[];
  /** Default: the bge-small-en-v1.5 package, or the model folder at `model`. */
  encoder?: Encoder;
  /** A Hugging Face style model folder for the default encoder. */
  model?: string;
  /** Where embeddings are kept between runs. Default: `.skillspan` in the first registry folder. */
  cacheDir?: string;
  /** Called while skills that are not in the cache are embedded. */
  onProgress?: Progress;
  signal?: AbortSignal;
}

/** Skills in memory have no folder beside which to keep their embeddings. */
export interface MemoryRouterOptions extends Omit<RouterOptions, 'registry'> {
  cacheDir: string;
}

export interface RouteOptions {
  /** Shortlist size, at least 1; a smaller registry gives all its skills. Default 10. */
  k?: number;
  /** Candidate pool size M ≥ k; capped at the registry's size. Default 50, or k if larger. */
  candidates?: number;
  /** Default `dsr`. */
  method?: Method;
  /** In [0, 1]. `dsr`: mixing coefficient λ; `mmr`: weight of relevance. Default 0.85. */
  lambda?: number;
  signal?: AbortSignal;
}

/** A candidate that plain top-k would have shown, left out because a chosen skill covers it. */
export interface KeptOut {
  readonly id: string;
  readonly name: string;
  readonly similarity: number;
  /** Kernel overlap φ with the chosen skill, in [0, 1]. */
  readonly overlap: number;
}

export interface ShortlistedSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Absolute path of its SKILL.md. */
  readonly path: string;
  /** Place in the shortlist by quality, from 1. */
  readonly rank: number;
  /** In (0, 1]: exp(β (a − max a)), so that the best candidate has 1. */
  readonly quality: number;
  /** Cosine similarity with the request. */
  readonly similarity: number;
  /** Place in the greedy order, from 1; undefined for one that only completed the shortlist. */
  readonly step: number | undefined;
  /** Marginal gain of that step. */
  readonly gain: number | undefined;
  readonly keptOut: readonly KeptOut[];
}

export interface RouteTrace {
  readonly method: Method;
  readonly k: number;
  readonly candidates: number;
  readonly lambda: number;
  /** Skills that completed the shortlist where the method stopped early. */
  readonly filled: number;
  /** Every candidate by similarity, with the chosen one that overlaps it most. */
  readonly pool: readonly TracedCandidate[];
  readonly milliseconds: { readonly encode: number; readonly select: number };
}

export interface TracedCandidate {
  readonly id: string;
  readonly similarity: number;
  readonly quality: number;
  readonly chosen: boolean;
  /** The skill chosen before this candidate that overlaps it most, and by how much. */
  readonly nearest: { readonly id: string; readonly overlap: number } | undefined;
}

export interface RouteResult {
  /** By quality. */
  readonly skills: readonly ShortlistedSkill[];
  readonly trace: RouteTrace;
}

/** What opening a registry found and did. */
export interface OpenReport {
  readonly skills: number;
  /** Texts embedded now, and texts whose embeddings came from the cache. */
  readonly embedded: number;
  readonly cached: number;
  readonly dim: number;
  readonly cacheDir: string;
  readonly warnings: readonly RegistryWarning[];
  /** Why the cache could not be read or written, if it could not. */
  readonly cacheProblem: string | undefined;
}
