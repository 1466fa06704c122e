import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { unexpected } from '../errors.ts';
import { decodeCache, encodeCache } from './embedding-file.ts';

// No encoder comes near it; a larger value is a mistake in the caller.
const MAX_DIM = 65_536;

/** Which encoder the vectors come from, and how long they are. */
export interface EmbeddingCacheOptions {
  /** The encoder's identity: 16 or more letters, digits, `-` or `_`. */
  readonly fingerprint: string;
  /** Numbers in a vector. */
  readonly dim: number;
}

/**
 * Vectors already computed, by the text they were computed from, in one file for each encoder. A cache may be
 * lost at any time without harm: a file that is damaged or belongs to another encoder is ignored, and
 * {@link EmbeddingCache.problem} says why.
 */
export class EmbeddingCache {
  /** Why an existing file was ignored; undefined where there was none or it was sound. */
  readonly problem: string | undefined;
  readonly #file: string;
  readonly #options: EmbeddingCacheOptions;
  /** By the SHA-256 of the text, in hexadecimal. */
  readonly #vectors: Map<string, Float32Array>;
  /** Whether the file says the same as the memory. */
  #isSaved: boolean;

  private constructor(
    file: string,
    options: EmbeddingCacheOptions,
    vectors: Map<string, Float32Array> | undefined,
    problem?: string,
  ) {
    this.#file = file;
    this.#options = options;
    this.#vectors = vectors ?? new Map();
    this.#isSaved = vectors !== undefined;
    this.problem = problem;
  }

  /**
   * Opens the cache of one encoder in a folder, which need not exist yet.
   *
   * @throws {SkillspanError} ERR_INVALID_ARGUMENT for a fingerprint that cannot name a file;
   *   ERR_OUT_OF_RANGE for a dimension below 1 or not whole
   */
  static async open(
    dir: string,
    { fingerprint, dim }: EmbeddingCacheOptions,
  ): Promise<EmbeddingCache> {
    if (!/^[\w-]{16,}$/.test(fingerprint)) {
      const expected = '16 or more letters, digits, - or _';
      throw unexpected('ERR_INVALID_ARGUMENT', 'fingerprint', expected, fingerprint);
    }
    if (!Number.isInteger(dim) || dim < 1 || dim > MAX_DIM) {
      throw unexpected('ERR_OUT_OF_RANGE', 'dim', `a whole number from 1 to ${MAX_DIM}`, dim);
    }
    const options = { fingerprint, dim };
    const file = join(dir, `embeddings-${fingerprint.slice(0, 16)}.bin`);
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const problem = code === 'ENOENT' ? undefined : `${file}: ${message}`;
      return new EmbeddingCache(file, options, undefined, problem);
    }
    const decoded = await decodeCache(bytes, options);
    return typeof decoded === 'string'
      ? new EmbeddingCache(file, options, undefined, `${file}: ${decoded}`)
      : new EmbeddingCache(file, options, decoded);
  }

  /** How many vectors there are. */
  get size(): number {
    return this.#vectors.size;
  }

  /** The vector of a text, as a copy; undefined where none is known. */
  get(text: string): Float32Array | undefined {
    return this.#vectors.get(keyOf(text))?.slice();
  }

  /**
   * Remembers a copy of the vector of a text.
   *
   * @throws {SkillspanError} ERR_DIMENSION for a vector of another length; ERR_NOT_FINITE for NaN or infinity
   */
  set(text: string, vector: Float32Array): void {
    const { dim } = this.#options;
    if (vector.length !== dim) {
      throw unexpected('ERR_DIMENSION', 'vector', `${dim} numbers`, vector.length);
    }
    const bad = vector.findIndex((value) => !Number.isFinite(value));
    if (bad !== -1) {
      throw unexpected('ERR_NOT_FINITE', `vector[${bad}]`, 'a finite number', vector[bad]);
    }
    this.#vectors.set(keyOf(text), vector.slice());
    this.#isSaved = false;
  }

  /**
   * Writes the cache where it differs from its file: beside it first, then renamed over it, so that a reader
   * sees the old file or the new one and never a part. Of several writers the last one wins.
   *
   * @param keep the texts still in use; vectors of all others are dropped
   */
  async save(keep?: Iterable<string>): Promise<void> {
    if (keep) await this.#dropAllBut(keep);
    if (this.#isSaved) return;

    // What is set from here on is not in this file any more.
    this.#isSaved = true;
    // A process may have several threads, so its id alone would not tell writers apart.
    const temporary = `${this.#file}.${process.pid}.${randomUUID()}.tmp`;
    try {
      const bytes = await encodeCache(this.#vectors, this.#options);
      await mkdir(dirname(this.#file), { recursive: true });
      await writeFile(temporary, bytes);
      await rename(temporary, this.#file);
    } catch (error) {
      this.#isSaved = false;
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async #dropAllBut(keep: Iterable<string>): Promise<void> {
    const kept = new Set<string>();
    for (const text of keep) {
      kept.add(keyOf(text));
      // Hashing every text of a large registry takes most of a second.
      if (kept.size % 256 === 0) await setImmediate();
    }
    for (const key of this.#vectors.keys()) {
      if (kept.has(key)) continue;
      this.#vectors.delete(key);
      this.#isSaved = false;
    }
  }
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
