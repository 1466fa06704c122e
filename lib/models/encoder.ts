import { unexpected } from '../errors.ts';
import type { TokenSequence } from './batches.ts';
import {
  type EncoderSetup,
  type OnnxEncoderOptions,
  setUp,
  type TextKind,
  type TextRule,
} from './encoder-setup.ts';
import { checkTexts, Intake } from './intake.ts';
import { normalize } from './pooling.ts';
import { RecentMap } from './recent-map.ts';
import { type SkillCaps, write } from './text-form.ts';

export type { OnnxEncoderOptions } from './encoder-setup.ts';

/**
 * Tokens per model run, padding included. On CPU a larger batch is no faster: bge-small took 68 ms
 * per 256-token text in runs of 256 and of 2,048 tokens alike, and 75 ms in runs of 4,096. A short
 * run is one that others wait for less long, so this is the least that still spares short texts a
 * run each: 12 tokens cost 8.6 ms alone, 3.4 ms packed so, 2.9 ms at best.
 */
const TOKENS_PER_RUN = 256;

/** UTF-16 units of a text that is remembered: a request comes again, a document is kept elsewhere. */
const REMEMBERED_UNITS = 1_000;

const REMEMBERED = 1_000;

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
  /** Code points of a skill's parts that the model was trained on. Undefined: no limit but its tokens. */
  readonly caps?: SkillCaps | undefined;
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
 * An {@link Encoder} that runs a local ONNX model, in a thread of its own.
 *
 * Calls may overlap: they share model runs. Of the same text the vector is the same, up to 2e-7 a
 * component by what else is in its run.
 */
export class OnnxEncoder implements Encoder {
  readonly #setup: EncoderSetup;
  readonly #intake: Intake;
  readonly #remembered: Readonly<Record<TextKind, RecentMap<string, Float32Array>>>;

  /**
   * Opens a model and proves it on two short texts, so that a folder whose parts do not fit each
   * other fails here and not in the middle of an index.
   *
   * @throws SkillspanError ERR_MODEL_NOT_FOUND if the model, a file of it or onnxruntime-node is
   * missing; ERR_MODEL_DOWNLOAD; ERR_MODEL_INVALID for a damaged file or a model that is no text
   * encoder; ERR_MODEL_MISMATCH if tokenizer, config and model disagree; ERR_DEVICE for a device that
   * is not there; ERR_INVALID_ARGUMENT or ERR_OUT_OF_RANGE for options.
   */
  static async open(options: OnnxEncoderOptions = {}): Promise<OnnxEncoder> {
    return new OnnxEncoder(await setUp(options), options);
  }

  private constructor(setup: EncoderSetup, options: OnnxEncoderOptions) {
    this.#setup = setup;
    this.#intake = new Intake(setup, {
      name: 'encoder',
      tokensPerRun: TOKENS_PER_RUN,
      deadline: options.deadline,
    });
    const most = options.remembered ?? REMEMBERED;
    this.#remembered = { query: new RecentMap(most), document: new RecentMap(most) };
  }

  get dim(): number {
    return this.#setup.dim;
  }

  get fingerprint(): string {
    return this.#setup.fingerprint;
  }

  get caps(): SkillCaps | undefined {
    return this.#setup.caps;
  }

  /** What the model runs on, such as `cpu`. */
  get provider(): string {
    return this.#setup.provider;
  }

  /** How token states become a vector; undefined where the graph does that. */
  get pooling(): string | undefined {
    const { head } = this.#setup;
    return head.kind === 'pool' ? head.pooling : undefined;
  }

  async encode(texts: readonly string[], options: EncodeOptions): Promise<Float32Array> {
    const { signal, kind, onProgress } = options;
    this.#intake.checkUsable(signal);
    checkTexts('texts', texts);
    checkKind(kind);
    const { dim, rules } = this.#setup;
    const total = texts.length;
    const vectors = new Float32Array(total * dim);
    const put = (vector: Float32Array, rows: readonly number[]) => {
      for (const row of rows) vectors.set(vector, row * dim);
    };

    const rowsOf = rowsByText(texts);
    const recent = this.#remembered[kind];
    let done = 0;
    for (const [text, rows] of rowsOf) {
      const known = recent.get(text);
      if (known === undefined) continue;
      put(known, rows);
      done += rows.length;
      rowsOf.delete(text);
    }
    if (rowsOf.size === 0) {
      if (total > 0) onProgress?.(total, total);
      return vectors;
    }

    const places = [...rowsOf];
    const sequences = await this.#intake.tokenize(
      rowsOf,
      ([text, rows]) => this.#sequenceOf(text, rules[kind], rows[0]!),
      signal,
    );
    const answers = await this.#intake.submit(sequences, {
      signal,
      onRun: (answered) => {
        for (const place of answered) done += places[place]![1].length;
        onProgress?.(done, total);
      },
    });
    for (const [place, full] of answers.entries()) {
      const [text, rows] = places[place]!;
      const vector = full.slice(0, dim);
      normalize(vector, `vector of texts[${rows[0]}]`);
      put(vector, rows);
      if (text.length <= REMEMBERED_UNITS) recent.set(text, vector);
    }
    return vectors;
  }

  dispose(): Promise<void> {
    return this.#intake.dispose();
  }

  #sequenceOf(text: string, rule: TextRule, place: number): TokenSequence {
    const ids = this.#setup.tokenizer.encode(write(text, rule.form), rule.tokens);
    if (ids.length > 0) return { ids };
    const expected = 'text that yields a token: this tokenizer adds none of its own';
    throw unexpected('ERR_INVALID_ARGUMENT', `texts[${place}]`, expected, text);
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
