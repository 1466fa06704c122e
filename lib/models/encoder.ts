import { setImmediate } from 'node:timers/promises';
import { SkillspanError, unexpected } from '../errors.ts';
import { padBatch, planBatches } from './batches.ts';
import {
  type EncoderSetup,
  type OnnxEncoderOptions,
  setUp,
  type TextKind,
  type TextRule,
} from './encoder-setup.ts';
import { normalize, pool } from './pooling.ts';

export type { OnnxEncoderOptions } from './encoder-setup.ts';

/**
 * Tokens per model run, padding included. On CPU a larger batch is no faster: bge-small took 68 ms
 * per 256-token text in runs of 256 and of 2,048 tokens alike, and 75 ms in runs of 4,096. A short
 * run is one that blocks the event loop for less long, so this is the least that still spares
 * short texts a run each: 12 tokens cost 8.6 ms alone, 3.4 ms packed so, 2.9 ms at best.
 */
const TOKENS_PER_RUN = 256;

/** Texts tokenised before the event loop gets a turn; a long one takes about 2 ms. */
const TEXTS_PER_TURN = 8;

export interface EncodeOptions {
  /** Decides the prompt and the length at which a text is cut. */
  readonly kind: TextKind;
  /** Checked between model runs; the promise then rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called after each model run, in texts; the last call has done = total. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Turns texts into unit vectors whose dot products are similarities. */
export interface Encoder {
  /** Components of a vector. */
  readonly dim: number;
  /**
   * sha256, in hex, over everything that changes a vector: model and tokenizer files, pooling,
   * prompts, lengths, number type and the version of the text view. Vectors of different
   * fingerprints must not be compared.
   */
  readonly fingerprint: string;
  /**
   * @returns texts.length × dim, row-major, in input order; each row of unit length. A text's
   * vector does not depend on the texts encoded with it.
   * @throws SkillspanError ERR_INVALID_ARGUMENT for something that is not text, ERR_DISPOSED.
   */
  encode(texts: readonly string[], options: EncodeOptions): Promise<Float32Array>;
  /** Frees the model once the run in flight has ended. Pending encodes reject. */
  dispose(): Promise<void>;
}

/**
 * An {@link Encoder} that runs a local ONNX model on the CPU.
 *
 * Calls may overlap: each model run is atomic, and theirs interleave. A run blocks the event loop
 * (75 ms for 256 tokens of bge-small on two cores), and opening does so for 0.4 s; a server that
 * cannot afford that keeps its encoder in a worker thread.
 */
export class OnnxEncoder implements Encoder {
  readonly #setup: EncoderSetup;
  readonly #running = new Set<Promise<unknown>>();
  #disposal: Promise<void> | undefined;

  /**
   * Opens a model and proves it on two short texts, so that a folder whose parts do not fit each
   * other fails here and not in the middle of an index.
   *
   * @throws SkillspanError ERR_MODEL_NOT_FOUND if the model, a file of it or onnxruntime-node is
   * missing; ERR_MODEL_INVALID for a damaged file or a model that is no text encoder;
   * ERR_MODEL_MISMATCH if tokenizer, config and model disagree; ERR_INVALID_ARGUMENT or
   * ERR_OUT_OF_RANGE for options.
   */
  static async open(options: OnnxEncoderOptions = {}): Promise<OnnxEncoder> {
    return new OnnxEncoder(await setUp(options));
  }

  private constructor(setup: EncoderSetup) {
    this.#setup = setup;
  }

  get dim(): number {
    return this.#setup.dim;
  }

  get fingerprint(): string {
    return this.#setup.fingerprint;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Float32Array> {
    this.#checkUsable(options.signal);
    checkTexts(texts);
    checkKind(options.kind);
    const rule = this.#setup.rules[options.kind];
    const total = texts.length;
    const rowsOf = rowsByText(texts);
    const places = [...rowsOf.values()];
    const vectors = new Float32Array(total * this.dim);
    const sequences = await this.#tokenize(rowsOf, rule, options.signal);
    const lengths = sequences.map((sequence) => sequence.length);

    let done = 0;
    for (const batch of planBatches(lengths, TOKENS_PER_RUN)) {
      this.#checkUsable(options.signal);
      const pooled = await this.#run(batch.map((i) => sequences[i]!));
      batch.forEach((i, row) => {
        const vector = pooled.subarray(row * this.dim, (row + 1) * this.dim);
        const rows = places[i]!;
        normalize(vector, `vector of texts[${rows[0]}]`);
        for (const target of rows) vectors.set(vector, target * this.dim);
        done += rows.length;
      });
      options.onProgress?.(done, total);
    }
    return vectors;
  }

  dispose(): Promise<void> {
    this.#disposal ??= Promise.allSettled(this.#running).then(() => this.#setup.session.release());
    return this.#disposal;
  }

  #checkUsable(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#disposal) {
      throw new SkillspanError('ERR_DISPOSED', 'encoder: expected an open one, got a disposed one');
    }
  }

  async #tokenize(
    rowsOf: ReadonlyMap<string, readonly number[]>,
    rule: TextRule,
    signal: AbortSignal | undefined,
  ): Promise<Int32Array[]> {
    const sequences: Int32Array[] = [];
    for (const [text, rows] of rowsOf) {
      if (sequences.length > 0 && sequences.length % TEXTS_PER_TURN === 0) {
        await setImmediate();
        this.#checkUsable(signal);
      }
      const sequence = this.#setup.tokenizer.encode(rule.prompt + text, rule.tokens);
      if (sequence.length === 0) {
        const expected = 'text that yields a token: this tokenizer adds none of its own';
        throw unexpected('ERR_INVALID_ARGUMENT', `texts[${rows[0]}]`, expected, text);
      }
      sequences.push(sequence);
    }
    return sequences;
  }

  /** One model run, pooled: sequences.length × dim. */
  async #run(sequences: readonly Int32Array[]): Promise<Float32Array> {
    const { session, tokenizer, pooling, dim } = this.#setup;
    const batch = padBatch(sequences, tokenizer.padId, tokenizer.paddingSide);
    const run = session.run(batch);
    this.#running.add(run);
    try {
      const { data } = await run;
      return pooling ? pool(data, batch, dim, pooling) : data;
    } finally {
      this.#running.delete(run);
    }
  }
}

function checkTexts(texts: readonly string[]): void {
  if (!Array.isArray(texts)) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'texts', 'an array of strings', texts);
  }
  const stranger = texts.findIndex((text) => typeof text !== 'string');
  if (stranger >= 0) {
    throw unexpected('ERR_INVALID_ARGUMENT', `texts[${stranger}]`, 'a string', texts[stranger]);
  }
}

function checkKind(kind: TextKind): void {
  if (kind !== 'query' && kind !== 'document') {
    throw unexpected('ERR_INVALID_ARGUMENT', 'kind', "'query' or 'document'", kind);
  }
}

/** Distinct texts in order of appearance, each with the places it is wanted. */
function rowsByText(texts: readonly string[]): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  texts.forEach((text, i) => {
    const known = rows.get(text);
    if (known) known.push(i);
    else rows.set(text, [i]);
  });
  return rows;
}
