import { Worker } from 'node:worker_threads';
import { type ErrorCode, SkillspanError } from '../errors.ts';
import type { PaddedBatch } from './batches.ts';
import type { Head } from './heads.ts';
import type { RunOutput, SessionFacts, SessionOptions } from './session.ts';
import type { Failure, Reply, Request } from './session-worker.ts';

/**
 * Where the thread's code is. A thread of Node 20 cannot read TypeScript, so that tests and benches,
 * which run from source, use the compiled one.
 */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? '../../dist/models/session-worker.js' : './session-worker.js',
  import.meta.url,
);

interface Waiting {
  resolve(output: RunOutput): void;
  reject(error: Error): void;
}

/**
 * A {@link TokenSession} on a thread of its own, so that a run blocks nobody's event loop. Batches and
 * answers are transferred, not copied. The thread keeps the process alive only while it has work.
 */
export class SessionThread {
  readonly facts: SessionFacts;
  readonly #worker: Worker;
  readonly #waiting: Map<number, Waiting>;
  readonly #closed: Promise<void>;
  #runs = 0;

  /** @throws as {@link TokenSession.open}; ERR_MODEL_FAILED if the thread ends by itself. */
  static async open(options: SessionOptions): Promise<SessionThread> {
    // The flags of this process are not the thread's: `--input-type`, for one, makes it fail.
    const worker = new Worker(ENTRY, { workerData: options, execArgv: [] });
    const waiting = new Map<number, Waiting>();
    const closed = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const facts = await new Promise<SessionFacts>((resolve, reject) => {
      const fail = (error: Error) => {
        reject(error);
        for (const run of waiting.values()) run.reject(error);
        waiting.clear();
      };
      worker.on('error', ({ message }) => fail(toError({ code: undefined, message })));
      worker.on('exit', () => fail(ended(options.onnxFile)));
      worker.on('message', (reply: Reply) => {
        if (reply.kind === 'opened') return resolve(reply.facts);
        if (reply.kind === 'unopened') return reject(toError(reply.failure));
        const run = waiting.get(reply.id);
        waiting.delete(reply.id);
        if (waiting.size === 0) worker.unref();
        if (reply.kind === 'done') run?.resolve(reply.output);
        else run?.reject(toError(reply.failure));
      });
    });
    worker.unref();
    return new SessionThread(worker, facts, waiting, closed);
  }

  private constructor(
    worker: Worker,
    facts: SessionFacts,
    waiting: Map<number, Waiting>,
    closed: Promise<void>,
  ) {
    this.#worker = worker;
    this.facts = facts;
    this.#waiting = waiting;
    this.#closed = closed;
  }

  /**
   * Runs the model. Runs wait for one another.
   * @param batch is transferred: its arrays are empty afterwards.
   * @throws as {@link TokenSession.run}; ERR_MODEL_FAILED if the thread ends.
   */
  run(batch: PaddedBatch, head: Head): Promise<RunOutput> {
    const id = this.#runs++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.ref();
      this.#post({ kind: 'run', id, batch, head }, buffersOf(batch));
    });
  }

  /** Frees the model and ends the thread, after the runs that were asked for. */
  async release(): Promise<void> {
    this.#worker.ref();
    this.#post({ kind: 'close' });
    await this.#closed;
  }

  #post(request: Request, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(request, transfer);
  }
}

function buffersOf({ ids, mask, types }: PaddedBatch): ArrayBuffer[] {
  return [ids, mask, ...(types ? [types] : [])].map(({ buffer }) => buffer as ArrayBuffer);
}

function ended(onnxFile: string): SkillspanError {
  return new SkillspanError(
    'ERR_MODEL_FAILED',
    `${onnxFile}: expected its thread to run on, got its end`,
  );
}

function toError({ code, message }: Failure): SkillspanError {
  return code === undefined
    ? new SkillspanError('ERR_MODEL_FAILED', `model thread: expected no failure, got: ${message}`)
    : new SkillspanError(code as ErrorCode, message);
}
