import { createHash } from 'node:crypto';
import type { Encoder } from '../../lib/index.ts';

/**
 * An encoder for tests of what surrounds the model: each word adds a fixed direction, so texts that
 * share words are similar. Counts what it was asked to encode.
 */
export class WordEncoder implements Encoder {
  readonly dim = 64;
  readonly fingerprint = createHash('sha256').update('word-encoder').digest('hex');
  readonly encoded: string[] = [];
  disposed = false;

  async encode(texts: readonly string[]): Promise<Float32Array> {
    this.encoded.push(...texts);
    const vectors = new Float32Array(texts.length * this.dim);
    for (const [i, text] of texts.entries()) {
      const vector = vectors.subarray(i * this.dim, (i + 1) * this.dim);
      for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? ['']) {
        const bytes = createHash('sha512').update(word).digest();
        for (let t = 0; t < this.dim; t++) vector[t] = vector[t]! + bytes[t]! - 127.5;
      }
      const norm = Math.hypot(...vector);
      for (let t = 0; t < this.dim; t++) vector[t] = vector[t]! / norm;
    }
    return vectors;
  }

  async dispose(): Promise<void> {
    this.disposed = true;
  }
}
