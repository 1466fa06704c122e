import { setImmediate } from 'node:timers/promises';
import type { Job } from '../contract.ts';

/** Runs a stepwise computation to its end, at once. */
export function runNow<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Runs it on the event loop, which gets a turn between steps. */
export function runLater<T>(steps: Generator<void, T>): Job<T> {
  let cancelled = false;
  const run = async () => {
    for (;;) {
      await setImmediate();
      if (cancelled) return undefined;
      const step = steps.next();
      if (step.done) return step.value;
    }
  };
  return {
    promise: run(),
    cancel: () => {
      cancelled = true;
    },
  };
}
