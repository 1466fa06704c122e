import { baseline } from './baseline/index.ts';
import type { Backend, BackendInfo, Job } from './contract.ts';
import { loadNative } from './native.ts';

let active: Backend | undefined;

/** The native addon, or the baseline when SKILLSPAN_NATIVE=0. Loaded on first use. */
export function backend(): Backend {
  active ??= process.env.SKILLSPAN_NATIVE === '0' ? baseline : loadNative();
  return active;
}

/**
 * What the numeric core runs on: instruction set, threads, build.
 * SKILLSPAN_ISA chooses a slower instruction set, SKILLSPAN_THREADS caps the threads.
 */
export function nativeInfo(): BackendInfo {
  return backend().info();
}

/** Ties a job to an AbortSignal: rejects with the signal's reason once it is aborted. */
export async function settle<T>(start: () => Job<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  const job = start();
  const cancel = () => job.cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const result = await job.promise;
    // A job that finished just before it was cancelled still counts as aborted: the caller asked.
    signal?.throwIfAborted();
    return result as T;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
