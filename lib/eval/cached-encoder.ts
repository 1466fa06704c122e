import type { EncodeOptions, Encoder } from '../models/encoder.ts';
import { SkillStore } from '../registry/store/skill-store.ts';

/** Texts embedded between two saves: what an interruption can cost. */
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
  readonly #store: SkillStore;
  /** Vectors that were asked for in this process, by text. */
  readonly #vectors = new Map<string, Float32Array>();
  readonly #unsaved = new Set<string>();
  readonly #cost = new Map<string, number>();
  #problem: string | undefined;
  #asked: string[] = [];

  private constructor(encoder: Encoder, store: SkillStore) {
    this.dim = encoder.dim;
    this.fingerprint = encoder.fingerprint;
    this.caps = encoder.caps;
    this.#encoder = encoder;
    this.#store = store;
    this.#problem = store.problem;
  }

  /** @param dir not the registry's: its store drops what is not of the registry. */
  static open(encoder: Encoder, dir: string): CachedEncoder {
    return new CachedEncoder(encoder, SkillStore.open(dir));
  }

  /** Why the cache could not be read or written, if it could not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Float32Array> {
    if (options.kind === 'document') return this.#encoder.encode(texts, options);
    const saved = this.#store.embeddings(this);
    const missing: string[] = [];
    for (const text of new Set(texts)) {
      const vector = this.#vectors.get(text) ?? saved.get(text);
      if (vector) this.#vectors.set(text, vector);
      else missing.push(text);
    }
    if (missing.length > 0) await this.#embed(missing, options);
    this.#asked.push(...texts);
    const vectors = new Float32Array(texts.length * this.dim);
    for (const [i, text] of texts.entries()) vectors.set(this.#vectors.get(text)!, i * this.dim);
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
  save(): void {
    const texts = [...this.#unsaved];
    const vectors = new Float32Array(texts.length * this.dim);
    for (const [i, text] of texts.entries()) vectors.set(this.#vectors.get(text)!, i * this.dim);
    try {
      this.#store.embeddings(this).put(texts, vectors);
      this.#unsaved.clear();
    } catch (error) {
      this.#problem = `embeddings of requests could not be saved: ${(error as Error).message}`;
    }
  }

  /** Saves, and leaves the encoder below to whoever opened it. */
  async dispose(): Promise<void> {
    this.save();
    this.#store.close();
  }

  async #embed(texts: readonly string[], options: EncodeOptions): Promise<void> {
    const started = performance.now();
    const vectors = await this.#encoder.encode(texts, options);
    // Texts of one call cannot be timed apart.
    const cost = (performance.now() - started) / texts.length;
    for (const [i, text] of texts.entries()) {
      this.#vectors.set(text, vectors.slice(i * this.dim, (i + 1) * this.dim));
      this.#cost.set(text, cost);
      this.#unsaved.add(text);
    }
    if (this.#unsaved.size >= SAVE_EVERY) this.save();
  }
}
