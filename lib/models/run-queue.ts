import { padBatch, type TokenSequence } from './batches.ts';
import type { Head } from './heads.ts';
import type { SessionThread } from './session-thread.ts';

export interface RunQueueOptions {
  readonly head: Head;
  readonly padId: number;
  readonly paddingSide: 'left' | 'right';
  /** Most tokens of a run, padding included; a longer sequence gets a run of its own. */
  readonly tokensPerRun: number;
  /** Whether only sequences of one length may share a run. */
  readonly alike: boolean;
  /** How long a run waits for calls that are still preparing their texts, in milliseconds. */
  readonly deadline: number;
}

export interface SubmitOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called after a run with the places of the sequences that it answered, and all rows so far. */
  readonly onRun?: (places: readonly number[], rows: readonly Float32Array[]) => void;
}

interface Item {
  readonly call: Call;
  readonly place: number;
  readonly sequence: TokenSequence;
}

interface Call {
  readonly rows: Float32Array[];
  readonly onRun: SubmitOptions['onRun'];
  /** Sequences without an answer; 0 also once the call has been given up. */
  left: number;
  /** Number of the run that served it last; of those before it, for one that has not been served. */
  served: number;
  resolve(rows: Float32Array[]): void;
  reject(error: unknown): void;
}

/**
 * Sequences waiting for a model. Concurrent calls share runs: each run is made for the call that has
 * waited longest, starts with that call's longest sequence, and is filled with what is nearest in
 * length, whoever asked. A lone call never waits; where others are still preparing their texts, a run
 * waits for them until the deadline.
 */
export class RunQueue {
  readonly #session: SessionThread;
  readonly #options: RunQueueOptions;
  /** Longest first. */
  #items: Item[] = [];
  #preparing = 0;
  #runs = 0;
  #working: Promise<void> | undefined;
  #wake: (() => void) | undefined;
  #closed: Error | undefined;

  constructor(session: SessionThread, options: RunQueueOptions) {
    this.#session = session;
    this.#options = options;
  }

  /** Says that a call is preparing its texts, until the function that comes back is called. */
  announce(): () => void {
    this.#preparing++;
    return () => {
      this.#preparing--;
      if (this.#preparing === 0) this.#wake?.();
    };
  }

  /**
   * @returns one row per sequence, in their order.
   * @throws the reason of the signal, once it is aborted; what {@link SessionThread.run} throws.
   */
  async submit(
    sequences: readonly TokenSequence[],
    { signal, onRun }: SubmitOptions = {},
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted();
    if (this.#closed) throw this.#closed;
    const rows = new Array<Float32Array>(sequences.length);
    if (sequences.length === 0) return rows;
    let call!: Call;
    const answer = new Promise<Float32Array[]>((resolve, reject) => {
      call = { rows, onRun, left: sequences.length, served: this.#runs, resolve, reject };
    });
    const added = sequences.map((sequence, place) => ({ call, place, sequence }));
    this.#items = [...this.#items, ...added].sort((a, b) => lengthOf(b) - lengthOf(a));
    const abort = () => this.#drop(call, signal!.reason);
    signal?.addEventListener('abort', abort, { once: true });
    this.#working ??= this.#work();
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Rejects what waits, lets the run in flight end and answer, and takes nothing more. */
  async close(error: Error): Promise<void> {
    this.#closed ??= error;
    for (const call of new Set(this.#items.map((item) => item.call))) this.#drop(call, error);
    this.#wake?.();
    await this.#working;
  }

  #drop(call: Call, error: unknown): void {
    this.#items = this.#items.filter((item) => item.call !== call);
    call.left = 0;
    call.reject(error);
  }

  async #work(): Promise<void> {
    if (this.#preparing > 0) await this.#others();
    while (this.#items.length > 0) await this.#run(this.#take());
    this.#working = undefined;
  }

  /** Waits until nobody is preparing texts, or the deadline has passed. */
  async #others(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.deadline);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = undefined;
  }

  /** Takes the sequences of the next run out of the queue. */
  #take(): Item[] {
    const { tokensPerRun, alike } = this.#options;
    const first = this.#items.reduce((a, b) => (b.call.served < a.call.served ? b : a));
    const width = lengthOf(first);
    const most = Math.max(Math.floor(tokensPerRun / width), 1);
    const fits = (item: Item) => (alike ? lengthOf(item) === width : lengthOf(item) <= width);
    const others = this.#items.filter((item) => item !== first && fits(item)).slice(0, most - 1);
    const batch = [first, ...others];
    const taken = new Set(batch);
    this.#items = this.#items.filter((item) => !taken.has(item));
    return batch;
  }

  async #run(batch: readonly Item[]): Promise<void> {
    this.#runs++;
    const placesOf = new Map<Call, number[]>();
    for (const { call, place } of batch) {
      placesOf.set(call, [...(placesOf.get(call) ?? []), place]);
    }
    const { padId, paddingSide, head } = this.#options;
    try {
      const sequences = batch.map(({ sequence }) => sequence);
      const { data } = await this.#session.run(padBatch(sequences, padId, paddingSide), head);
      const dim = data.length / batch.length;
      for (const [row, { call, place }] of batch.entries()) {
        call.rows[place] = data.subarray(row * dim, (row + 1) * dim);
      }
    } catch (error) {
      for (const call of placesOf.keys()) this.#drop(call, error);
      return;
    }
    for (const [call, places] of placesOf) {
      if (call.left > 0) this.#answer(call, places);
    }
  }

  #answer(call: Call, places: readonly number[]): void {
    call.served = this.#runs;
    call.left -= places.length;
    try {
      call.onRun?.(places, call.rows);
    } catch (error) {
      this.#drop(call, error);
    }
    if (call.left === 0) call.resolve(call.rows);
  }
}

function lengthOf({ sequence }: Item): number {
  return sequence.ids.length;
}
