import { setImmediate } from 'node:timers/promises';
import { SkillspanError, unexpected } from '../errors.ts';
import type { TokenSequence } from './batches.ts';
import type { Head } from './heads.ts';
import { RunQueue, type SubmitOptions } from './run-queue.ts';
import type { SessionThread } from './session-thread.ts';
import type { TextTokenizer } from './tokenizer.ts';

/** Texts tokenised before the event loop gets a turn; a long one takes about 2 ms. */
const TEXTS_PER_TURN = 8;

const DEADLINE = 2;

/** An open model that reads tokens. */
interface OpenModel {
  readonly session: SessionThread;
  readonly tokenizer: TextTokenizer;
  readonly head: Head;
}

interface IntakeOptions {
  /** What the model is called in errors. */
  readonly name: string;
  /** See {@link RunQueueOptions}. */
  readonly tokensPerRun: number;
  readonly deadline: number | undefined;
}

/** The way of texts to a model, and the model's end: what encoders and rerankers have in common. */
export class Intake {
  readonly #name: string;
  readonly #session: SessionThread;
  readonly #queue: RunQueue;
  #disposal: Promise<void> | undefined;

  constructor(
    { session, tokenizer, head }: OpenModel,
    { name, tokensPerRun, deadline = DEADLINE }: IntakeOptions,
  ) {
    this.#name = name;
    this.#session = session;
    this.#queue = new RunQueue(session, {
      head,
      padId: tokenizer.padId,
      paddingSide: tokenizer.paddingSide,
      tokensPerRun,
      alike: session.facts.cached,
      deadline,
    });
  }

  /** @throws the reason of an aborted signal; SkillspanError ERR_DISPOSED. */
  checkUsable(signal: AbortSignal | undefined): void {
    signal?.throwIfAborted();
    if (this.#disposal) throw this.#disposed();
  }

  /** Turns things into tokens, with turns of the event loop in between. Errors: those of checkUsable. */
  async tokenize<T>(
    things: Iterable<T>,
    sequenceOf: (thing: T) => TokenSequence,
    signal: AbortSignal | undefined,
  ): Promise<TokenSequence[]> {
    const ready = this.#queue.announce();
    try {
      const sequences: TokenSequence[] = [];
      for (const thing of things) {
        if (sequences.length > 0 && sequences.length % TEXTS_PER_TURN === 0) {
          await setImmediate();
          this.checkUsable(signal);
        }
        sequences.push(sequenceOf(thing));
      }
      return sequences;
    } finally {
      ready();
    }
  }

  /** See {@link RunQueue.submit}. */
  submit(sequences: readonly TokenSequence[], options: SubmitOptions): Promise<Float32Array[]> {
    return this.#queue.submit(sequences, options);
  }

  /** Frees the model once the run in flight has ended. What waits is rejected. */
  dispose(): Promise<void> {
    this.#disposal ??= this.#queue.close(this.#disposed()).then(() => this.#session.release());
    return this.#disposal;
  }

  #disposed(): SkillspanError {
    const message = `${this.#name}: expected an open one, got a disposed one`;
    return new SkillspanError('ERR_DISPOSED', message);
  }
}

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for anything but an array of strings. */
export function checkTexts(name: string, texts: readonly string[]): void {
  if (!Array.isArray(texts)) {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'an array of strings', texts);
  }
  const stranger = texts.findIndex((text) => typeof text !== 'string');
  if (stranger >= 0) {
    throw unexpected('ERR_INVALID_ARGUMENT', `${name}[${stranger}]`, 'a string', texts[stranger]);
  }
}
