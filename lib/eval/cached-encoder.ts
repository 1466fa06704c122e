import type { EncodeOptions, Encoder } from '../models/encoder.ts';
import { EmbeddingCache } from '../registry/embedding-cache.ts';

/** Texts embedded between two saves of the cache: what an interruption can cost. */
const SAVE_EVERY = 256;

/**
 * An encoder that keeps the vectors of queries on disk, so that a second evaluation embeds nothing. What a
 * text cost when it was embedded is remembered, for the methods that meet it later in the same process.
 * Documents pass through: the registry has a cache of its own.
 */
export class CachedEncoder implements Encoder {
  readonly dim: number;
  readonly fingerprint: string;
  readonly caps: Encoder['caps'];
  readonly #encoder: Encoder;
  readonly #cache: EmbeddingCache;
  readonly #cost = new Map<string, number>();
  #problem: string | undefined;
  #unsaved = 0;
  #asked: string[] = [];

  private constructor(encoder: Encoder, cache: EmbeddingCache) {
    this.dim = encoder.dim;
    this.fingerprint = encoder.fingerprint;
    this.caps = encoder.caps;
    this.#encoder = encoder;
    this.#cache = cache;
    this.#problem = cache.problem;
  }

  /** @param dir not the registry's: a cache drops what is not of the registry. */
  static async open(encoder: Encoder, dir: string): Promise<CachedEncoder> {
    const { fingerprint, dim } = encoder;
    return new CachedEncoder(encoder, await EmbeddingCache.open(dir, { fingerprint, dim }));
  }

  /** Why the cache could not be read or written, if it could not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Float32Array> {
    if (options.kind === 'document') return this.#encoder.encode(texts, options);
    const missing = [...new Set(texts)].filter((text) => this.#cache.get(text) === undefined);
    if (missing.length > 0) await this.#embed(missing, options);
    this.#asked.push(...texts);
    const vectors = new Float32Array(texts.length * this.dim);
    for (const [i, text] of texts.entries()) vectors.set(this.#cache.get(text)!, i * this.dim);
    return vectors;
  }

  /**
   * What the queries since the last call took to embed, in milliseconds, wherever in this process that was;
   * undefined where there were none, or where the vector of one came from the disk.
   */
  takeCost(): number | undefined {
    const costs = this.#asked.map((text) => this.#cost.get(text));
    this.#asked = [];
    if (costs.length === 0) return undefined;
    return costs.reduce((sum, cost) =>
      sum === undefined || cost === undefined ? undefined : sum + cost,
    );
  }

  /** Writes what is new; a disk that refuses becomes {@link problem}. */
  async save(): Promise<void> {
    this.#unsaved = 0;
    await this.#cache.save().catch((error: Error) => {
      this.#problem = `embeddings of requests could not be saved: ${error.message}`;
    });
  }

  /** Saves, and leaves the encoder below to whoever opened it. */
  dispose(): Promise<void> {
    return this.save();
  }

  async #embed(texts: readonly string[], options: EncodeOptions): Promise<void> {
    const started = performance.now();
    const vectors = await this.#encoder.encode(texts, options);
    // Texts of one call cannot be timed apart.
    const cost = (performance.now() - started) / texts.length;
    for (const [i, text] of texts.entries()) {
      this.#cache.set(text, vectors.slice(i * this.dim, (i + 1) * this.dim));
      this.#cost.set(text, cost);
    }
    this.#unsaved += texts.length;
    if (this.#unsaved >= SAVE_EVERY) await this.save();
  }
}
