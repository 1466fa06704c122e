import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { unexpected } from '../errors.ts';
import type { PaddedBatch } from './batches.ts';
import { failure } from './failure.ts';
import { applyHead, type Head, type OutputData } from './heads.ts';
import { loadOnnxRuntime, type OnnxRuntime } from './onnx-runtime.ts';

/** What a graph is opened for, and with what. Plain data: it crosses to a thread. */
export interface SessionOptions {
  readonly onnxFile: string;
  /** Token states, or vectors, to embed texts; or logits, to score them. */
  readonly purpose: 'embed' | 'score';
  readonly provider: string;
  readonly threads: number;
}

/** What a run returns. */
export interface RunOutput {
  /** One row per text, row-major. */
  readonly data: Float32Array;
  /** Of the model's output before the head was applied. */
  readonly dims: readonly number[];
}

export interface SessionFacts {
  /** 3: one state, or row of logits, per token. 2: one per text. */
  readonly outputRank: number;
  /** Whether the graph is a decoder with a cache, whose attention may not heed a padding mask. */
  readonly cached: boolean;
}

/** Preferred first. The last embedding is already one vector per text. */
const OUTPUT_NAMES = {
  embed: ['last_hidden_state', 'token_embeddings', 'sentence_embedding'],
  score: ['logits'],
} as const;

type Feed = (batch: PaddedBatch) => BigInt64Array;

/** Every input of batch × tokens a graph may ask for, and how it follows from the batch. */
const FEEDS: Readonly<Record<string, Feed>> = {
  input_ids: (batch) => BigInt64Array.from(batch.ids, BigInt),
  attention_mask: (batch) => BigInt64Array.from(batch.mask, BigInt),
  token_type_ids: (batch) =>
    batch.types ? BigInt64Array.from(batch.types, BigInt) : new BigInt64Array(batch.ids.length),
  position_ids: positionIds,
};

/** Asks a decoder for the logits of the last position alone. */
const KEPT_LOGITS = 'num_logits_to_keep';

/** Keys and values of earlier tokens, of which there are none here. */
const PAST = /^past_key_values\./;

/**
 * An ONNX graph from padded token ids to numbers, open on a device. It computes on the thread that
 * calls it, which is why {@link SessionThread} keeps it on one of its own.
 */
export class TokenSession {
  readonly facts: SessionFacts;
  readonly #onnxFile: string;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #outputName: string;

  /**
   * @throws SkillspanError ERR_MODEL_NOT_FOUND without onnxruntime-node; ERR_MODEL_INVALID if the
   * file is no complete ONNX model, or not one for this purpose: an input it cannot feed, an output
   * that is neither known by name nor of rank 3, or one that is not float32 or float16; ERR_DEVICE
   * if another provider than the CPU's does not start.
   */
  static async open(options: SessionOptions): Promise<TokenSession> {
    const { onnxFile, provider } = options;
    const runtime = await loadOnnxRuntime();
    let session: InferenceSession;
    try {
      // By path, not from memory: external weights are found so, and the model is not held twice.
      session = await runtime.InferenceSession.create(onnxFile, runtimeOptions(options));
    } catch (cause) {
      if (provider === 'cpu') {
        throw failure('ERR_MODEL_INVALID', onnxFile, 'a complete ONNX model', cause);
      }
      throw failure('ERR_DEVICE', provider, `a provider that runs ${onnxFile}`, cause);
    }
    try {
      return new TokenSession(options, runtime, session);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  private constructor(
    { onnxFile, purpose }: SessionOptions,
    runtime: OnnxRuntime,
    session: InferenceSession,
  ) {
    this.#onnxFile = onnxFile;
    this.#runtime = runtime;
    this.#session = session;
    checkInputs(session, onnxFile);
    const output = chooseOutput(session, onnxFile, OUTPUT_NAMES[purpose]);
    this.#outputName = output.name;
    this.facts = {
      outputRank: output.shape.length,
      cached: session.inputNames.some((name) => PAST.test(name)),
    };
  }

  /**
   * Runs the model and applies a head to what it answers.
   * @throws SkillspanError ERR_MODEL_MISMATCH if the model refuses the batch: a token id beyond
   * its embedding table, a length or batch size it is not made for.
   */
  async run(batch: PaddedBatch, head: Head): Promise<RunOutput> {
    try {
      const results = await this.#session.run(this.#feeds(batch), [this.#outputName]);
      const output = results[this.#outputName]!;
      const data = applyHead(head, output.data as OutputData, output.dims, batch);
      output.dispose();
      return { data, dims: output.dims };
    } catch (cause) {
      const expected = `a model that takes ${batch.rows} × ${batch.width} of these token ids`;
      throw failure('ERR_MODEL_MISMATCH', this.#onnxFile, expected, cause);
    }
  }

  /** Frees the model's memory. No run may be in flight, and none may follow. */
  async release(): Promise<void> {
    await this.#session.release();
  }

  #feeds(batch: PaddedBatch): InferenceSession.FeedsType {
    const { Tensor } = this.#runtime;
    const feeds: Record<string, Tensor> = {};
    for (const input of this.#session.inputMetadata) {
      if (!input.isTensor) continue;
      const { name } = input;
      if (PAST.test(name)) {
        // batch × heads × no tokens × width of a head.
        const dims = [batch.rows, Number(input.shape[1]), 0, Number(input.shape[3])];
        const none = input.type === 'float16' ? new Uint16Array(0) : new Float32Array(0);
        feeds[name] = new Tensor(input.type as 'float32', none as Float32Array, dims);
      } else if (name === KEPT_LOGITS) {
        feeds[name] = new Tensor('int64', BigInt64Array.of(1n), []);
      } else {
        feeds[name] = new Tensor('int64', FEEDS[name]!(batch), [batch.rows, batch.width]);
      }
    }
    return feeds;
  }
}

function runtimeOptions({ provider, threads }: SessionOptions): InferenceSession.SessionOptions {
  return {
    executionProviders: provider === 'cpu' ? ['cpu'] : [provider, 'cpu'],
    // On bge-small every level opens and runs alike, within noise; other exports need the fusions.
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    // Fatal only: errors are thrown as well, and a library does not write to its host's stderr.
    logSeverityLevel: 4,
    // Threads sleep while they wait. Spinning is quicker on idle cores (70 ms against 77 for 256
    // tokens, 6 against 9 for 12), half as fast on busy ones, and burns 40 ms after each run.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
}

function checkInputs(session: InferenceSession, onnxFile: string): void {
  for (const input of session.inputMetadata) {
    const { name } = input;
    const past = PAST.test(name);
    if (!Object.hasOwn(FEEDS, name) && name !== KEPT_LOGITS && !past) {
      const expected = `only the inputs ${[...Object.keys(FEEDS), KEPT_LOGITS].join(', ')}, past_key_values`;
      throw unexpected('ERR_MODEL_INVALID', onnxFile, expected, name);
    }
    const types = past ? ['float32', 'float16'] : ['int64'];
    if (!input.isTensor || !types.includes(input.type)) {
      const actual = input.isTensor ? input.type : 'no tensor';
      const expected = types.join(' or ');
      throw unexpected('ERR_MODEL_INVALID', `${onnxFile} input ${name}`, expected, actual);
    }
  }
}

function chooseOutput(
  session: InferenceSession,
  onnxFile: string,
  known: readonly string[],
): InferenceSession.TensorValueMetadata {
  const tensors = session.outputMetadata.filter((output) => output.isTensor);
  const output =
    known.map((name) => tensors.find((tensor) => tensor.name === name)).find(Boolean) ??
    tensors.find((tensor) => tensor.shape.length === 3 && !known.includes('logits'));
  if (!output) {
    const other = known.includes('logits') ? '' : 'an output of rank 3, or ';
    const expected = `${other}one named ${known.join(', ')}`;
    throw unexpected('ERR_MODEL_INVALID', onnxFile, expected, session.outputNames.join(', '));
  }
  if (output.type !== 'float32' && output.type !== 'float16') {
    const name = `${onnxFile} output ${output.name}`;
    throw unexpected('ERR_MODEL_INVALID', name, 'float32 or float16', output.type);
  }
  return output;
}

/** Counts a row's own tokens from 0, wherever its padding is; padding stays at 0. */
function positionIds(batch: PaddedBatch): BigInt64Array {
  const positions = new BigInt64Array(batch.ids.length);
  for (let row = 0; row < batch.rows; row++) {
    let position = 0n;
    for (let i = row * batch.width; i < (row + 1) * batch.width; i++) {
      if (batch.mask[i] === 1) positions[i] = position++;
    }
  }
  return positions;
}
