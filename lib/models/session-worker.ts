/**
 * The thread of one model. It opens what its `workerData` names, says what it found, then answers
 * runs one after the other until it is told to close.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { SkillspanError } from '../errors.ts';
import type { PaddedBatch } from './batches.ts';
import type { Head } from './heads.ts';
import { type RunOutput, type SessionFacts, type SessionOptions, TokenSession } from './session.ts';

export type Request =
  | { readonly kind: 'run'; readonly id: number; readonly batch: PaddedBatch; readonly head: Head }
  | { readonly kind: 'close' };

/** What an error is made of: its class does not cross to another thread. */
export interface Failure {
  readonly code: string | undefined;
  readonly message: string;
}

export type Reply =
  | { readonly kind: 'opened'; readonly facts: SessionFacts }
  | { readonly kind: 'unopened'; readonly failure: Failure }
  | { readonly kind: 'done'; readonly id: number; readonly output: RunOutput }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure };

const port = parentPort!;

function reply(message: Reply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(message, transfer);
}

function described(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { code: error instanceof SkillspanError ? error.code : undefined, message };
}

async function answer(session: TokenSession, request: Request): Promise<void> {
  if (request.kind === 'close') {
    await session.release();
    port.close();
    return;
  }
  const { id } = request;
  try {
    const { data, dims } = await session.run(request.batch, request.head);
    // A view into the model's own output is copied out of it; what is computed here moves.
    const own = data.byteLength === data.buffer.byteLength ? data : data.slice();
    reply({ kind: 'done', id, output: { data: own, dims: [...dims] } }, [
      own.buffer as ArrayBuffer,
    ]);
  } catch (error) {
    reply({ kind: 'failed', id, failure: described(error) });
  }
}

try {
  const session = await TokenSession.open(workerData as SessionOptions);
  let turn: Promise<void> = Promise.resolve();
  port.on('message', (request: Request) => {
    turn = turn.then(() => answer(session, request));
  });
  reply({ kind: 'opened', facts: session.facts });
} catch (error) {
  reply({ kind: 'unopened', failure: described(error) });
}
