import os from 'node:os';
import type { InferenceSession } from 'onnxruntime-node';
import { unexpected } from '../errors.ts';
import type { PaddedBatch } from './batches.ts';
import { failure } from './failure.ts';
import { loadOnnxRuntime, type OnnxRuntime } from './onnx-runtime.ts';

/**
 * Threads per run unless the caller says otherwise. Two gave 1.5 times the speed of one on
 * bge-small, whose matrices are too small to feed many; and the host has other work.
 */
const MAX_DEFAULT_THREADS = 4;

/** Preferred first. The last is already one vector per text. */
const OUTPUT_NAMES = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'];

type Feed = (batch: PaddedBatch) => BigInt64Array;

/** Every input a text encoder may ask for, and how it follows from the batch. */
const FEEDS: Readonly<Record<string, Feed>> = {
  input_ids: (batch) => BigInt64Array.from(batch.ids, BigInt),
  attention_mask: (batch) => BigInt64Array.from(batch.mask, BigInt),
  // The first (and only) segment of a pair is number 0.
  token_type_ids: (batch) => new BigInt64Array(batch.ids.length),
  position_ids: positionIds,
};

/** What a run returns: token states (rank 3), or vectors the graph pooled itself (rank 2). */
export interface ModelOutput {
  /** rows × width × dim, or rows × dim; row-major. */
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

/** An ONNX graph from padded token ids to float32 states, open on a device. */
export class TokenSession {
  /** 3: one state per token, to be pooled. 2: one vector per text. */
  readonly outputRank: number;
  readonly #onnxFile: string;
  readonly #runtime: OnnxRuntime;
  readonly #session: InferenceSession;
  readonly #outputName: string;

  /**
   * @throws SkillspanError ERR_MODEL_NOT_FOUND without onnxruntime-node; ERR_MODEL_INVALID if the
   * file is no complete ONNX model, or no text encoder: an input it cannot feed, an output that is
   * neither known by name nor of rank 3, or one that is not float32.
   */
  static async open(onnxFile: string, threads?: number): Promise<TokenSession> {
    const runtime = await loadOnnxRuntime();
    let session: InferenceSession;
    try {
      // By path, not from memory: external weights are found so, and the model is not held twice.
      session = await runtime.InferenceSession.create(onnxFile, sessionOptions(threads));
    } catch (cause) {
      throw failure('ERR_MODEL_INVALID', onnxFile, 'a complete ONNX model', cause);
    }
    try {
      return new TokenSession(onnxFile, runtime, session);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  private constructor(onnxFile: string, runtime: OnnxRuntime, session: InferenceSession) {
    this.#onnxFile = onnxFile;
    this.#runtime = runtime;
    this.#session = session;
    checkInputs(session, onnxFile);
    const output = chooseOutput(session, onnxFile);
    this.#outputName = output.name;
    this.outputRank = output.shape.length;
  }

  /**
   * Runs the model. onnxruntime-node computes on the calling thread: the event loop stands still
   * until a run ends, and turns once before each.
   *
   * @throws SkillspanError ERR_MODEL_MISMATCH if the model refuses the batch: a token id beyond
   * its embedding table, a length or batch size it is not made for.
   */
  async run(batch: PaddedBatch): Promise<ModelOutput> {
    const dims = [batch.rows, batch.width];
    const feeds: InferenceSession.FeedsType = Object.fromEntries(
      this.#session.inputNames.map((name) => [
        name,
        new this.#runtime.Tensor('int64', FEEDS[name]!(batch), dims),
      ]),
    );
    try {
      const results = await this.#session.run(feeds, [this.#outputName]);
      const output = results[this.#outputName]!;
      return { data: output.data as Float32Array, dims: output.dims };
    } catch (cause) {
      const expected = `a model that takes ${batch.rows} × ${batch.width} of these token ids`;
      throw failure('ERR_MODEL_MISMATCH', this.#onnxFile, expected, cause);
    }
  }

  /** Frees the model's memory. No run may be in flight, and none may follow. */
  async release(): Promise<void> {
    await this.#session.release();
  }
}

function sessionOptions(threads?: number): InferenceSession.SessionOptions {
  return {
    executionProviders: ['cpu'],
    // On bge-small every level opens and runs alike, within noise; other exports need the fusions.
    graphOptimizationLevel: 'all',
    intraOpNumThreads: threads ?? Math.min(MAX_DEFAULT_THREADS, os.availableParallelism()),
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
    if (!Object.hasOwn(FEEDS, input.name)) {
      const expected = `only the inputs ${Object.keys(FEEDS).join(', ')}`;
      throw unexpected('ERR_MODEL_INVALID', onnxFile, expected, input.name);
    }
    if (!input.isTensor || input.type !== 'int64') {
      const actual = input.isTensor ? input.type : 'no tensor';
      throw unexpected('ERR_MODEL_INVALID', `${onnxFile} input ${input.name}`, 'int64', actual);
    }
  }
}

function chooseOutput(
  session: InferenceSession,
  onnxFile: string,
): InferenceSession.TensorValueMetadata {
  const tensors = session.outputMetadata.filter((output) => output.isTensor);
  const output =
    OUTPUT_NAMES.map((name) => tensors.find((tensor) => tensor.name === name)).find(Boolean) ??
    tensors.find((tensor) => tensor.shape.length === 3);
  if (!output) {
    const expected = `an output of rank 3, or one named ${OUTPUT_NAMES.join(', ')}`;
    throw unexpected('ERR_MODEL_INVALID', onnxFile, expected, session.outputNames.join(', '));
  }
  if (output.type !== 'float32') {
    const name = `${onnxFile} output ${output.name}`;
    throw unexpected('ERR_MODEL_INVALID', name, 'float32', output.type);
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
