import { setTimeout } from 'node:timers/promises';

export interface RetryOptions {
  /** Calls in all, at least 1. */
  readonly attempts: number;
  /** Wait before the second call, in milliseconds; it doubles with every further one. */
  readonly backoff: number;
  readonly signal?: AbortSignal | undefined;
}

/** The longest wait that a server may ask for, in milliseconds. */
const LONGEST_WAIT = 60_000;

/** An answer that was understood and is of no use; asking again may help. */
export class BadAnswer extends Error {}

/**
 * Calls until it succeeds, telling what failed before. What the server says of waiting (`Retry-After`, in seconds) is heeded.
 * @throws the last failure, or at once one that will not mend itself; the signal's reason once it is aborted.
 */
export async function withRetries<T>(
  call: (failure: unknown) => Promise<T>,
  { attempts, backoff, signal }: RetryOptions,
): Promise<T> {
  let failure: unknown;
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    try {
      return await call(failure);
    } catch (error) {
      failure = error;
      signal?.throwIfAborted();
      if (attempt >= attempts || !isTransient(error)) throw error;
      const wait = waitAsked(error) ?? backoff * 2 ** (attempt - 1);
      await setTimeout(Math.min(wait, LONGEST_WAIT), undefined, signal ? { signal } : {}).catch(
        () => {},
      );
    }
  }
}

/** The fields of the AI SDK's errors that matter here; its classes are not loaded for them. */
interface ApiError {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
}

/** Whether the endpoint refuses every call, and not this one: a wrong key, model or address. */
export function isRefusal(error: unknown): boolean {
  return [401, 403, 404].includes((error as ApiError).statusCode ?? 0);
}

/** Everything but a request that the server understood and will not serve. */
function isTransient(error: unknown): boolean {
  const { statusCode } = error as ApiError;
  if (statusCode === undefined || statusCode >= 500) return true;
  return statusCode < 400 || [408, 409, 425, 429].includes(statusCode);
}

function waitAsked(error: unknown): number | undefined {
  const headers = (error as ApiError).responseHeaders;
  const seconds = Number.parseFloat(headers?.['retry-after'] ?? '');
  return seconds >= 0 ? seconds * 1_000 : undefined;
}
