import { createHash } from 'node:crypto';
import { endianness } from 'node:os';
import { Prose, unexpected } from '../errors.ts';
import type { Connection } from './store/database.ts';

/** Which encoder vectors come from, and how long they are. */
export interface EncoderIdentity {
  /** 16 or more letters, digits, `-` or `_`. */
  readonly fingerprint: string;
  /** Numbers in a vector. */
  readonly dim: number;
}

// No encoder comes near it; a larger value is a mistake in the caller.
const MAX_DIM = 65_536;

/** Vectors already computed, by the text they were computed from: one encoder's part of a database. */
export class Embeddings {
  readonly encoder: EncoderIdentity;
  readonly #connection: Connection;

  /**
   * @throws {SkillspanError} ERR_INVALID_ARGUMENT for a fingerprint that is none;
   *   ERR_OUT_OF_RANGE for a dimension below 1 or not whole
   */
  constructor(connection: Connection, { fingerprint, dim }: EncoderIdentity) {
    if (!/^[\w-]{16,}$/.test(fingerprint)) {
      const expected = '16 or more letters, digits, - or _';
      throw unexpected('ERR_INVALID_ARGUMENT', 'fingerprint', expected, fingerprint);
    }
    if (!Number.isInteger(dim) || dim < 1 || dim > MAX_DIM) {
      throw unexpected('ERR_OUT_OF_RANGE', 'dim', `a whole number from 1 to ${MAX_DIM}`, dim);
    }
    this.encoder = { fingerprint, dim };
    this.#connection = connection;
  }

  /** How many vectors there are. */
  get size(): number {
    return this.#connection
      .prepare('SELECT count(*) FROM vectors WHERE encoder = ?')
      .pluck()
      .get(this.encoder.fingerprint) as number;
  }

  /** The vector of a text; undefined where none is known. */
  get(text: string): Float32Array | undefined {
    return this.of(viewHash(text));
  }

  /** The vector of the text with this hash. */
  of(view: Uint8Array): Float32Array | undefined {
    const blob = this.#connection
      .prepare('SELECT vector FROM vectors WHERE view = ? AND encoder = ?')
      .pluck()
      .get(view, this.encoder.fingerprint) as Buffer | undefined;
    return blob && fromBlob(blob, this.encoder.dim);
  }

  /** Those of some texts that have no vector, each once. */
  missing(texts: Iterable<string>): string[] {
    const known = this.#connection
      .prepare('SELECT 1 FROM vectors WHERE view = ? AND encoder = ?')
      .pluck();
    const { fingerprint } = this.encoder;
    return [...new Set(texts)].filter((text) => !known.get(viewHash(text), fingerprint));
  }

  /**
   * Remembers the vectors of some texts, all or none of them; what is there already is replaced.
   * @param vectors texts.length × dim, row-major.
   * @throws {SkillspanError} ERR_DIMENSION for vectors of another length; ERR_NOT_FINITE for NaN or infinity
   */
  put(texts: readonly string[], vectors: Float32Array): void {
    const { fingerprint, dim } = this.encoder;
    if (vectors.length !== texts.length * dim) {
      const expected = `${texts.length} × ${dim} numbers`;
      throw unexpected('ERR_DIMENSION', 'vectors', expected, vectors.length);
    }
    const bad = vectors.findIndex((value) => !Number.isFinite(value));
    if (bad !== -1) {
      throw unexpected('ERR_NOT_FINITE', `vectors[${bad}]`, 'a finite number', vectors[bad]);
    }
    const insert = this.#connection.prepare('INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)');
    this.#connection.transaction(() => {
      for (const [i, text] of texts.entries()) {
        const vector = vectors.subarray(i * dim, (i + 1) * dim);
        insert.run(fingerprint, viewHash(text), toBlob(vector));
      }
    })();
  }

  /** Drops what no skill of the database has, and none of some other texts. */
  dropUnused(used: Iterable<string> = []): void {
    const connection = this.#connection;
    connection
      .transaction(() => {
        connection.exec('CREATE TEMP TABLE used (view BLOB PRIMARY KEY) WITHOUT ROWID');
        const keep = connection.prepare('INSERT OR IGNORE INTO used VALUES (?)');
        for (const text of used) keep.run(viewHash(text));
        connection
          .prepare(
            `DELETE FROM vectors WHERE view NOT IN (SELECT view FROM used)
             AND NOT EXISTS (SELECT 1 FROM skills WHERE skills.view = vectors.view)`,
          )
          .run();
        connection.exec('DROP TABLE used');
      })
      .immediate();
  }
}

/** What the vector of a text goes by. */
export function viewHash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Little-endian float32. */
function toBlob(vector: Float32Array): Buffer {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
  return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
}

/** @throws {SkillspanError} ERR_CORRUPT_INDEX for another length. */
export function fromBlob(blob: Buffer, dim: number): Float32Array {
  if (blob.length !== dim * Float32Array.BYTES_PER_ELEMENT) {
    const came = new Prose(`${blob.length} bytes`);
    throw unexpected('ERR_CORRUPT_INDEX', 'a stored vector', `${dim} numbers`, came);
  }
  // A copy, because a blob begins at any offset and a Float32Array only at multiples of 4.
  const copy = new Uint8Array(blob);
  if (endianness() === 'BE') Buffer.from(copy.buffer).swap32();
  return new Float32Array(copy.buffer);
}
