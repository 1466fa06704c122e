// Enough to keep a disk or a network share busy, far below the usual limit of open files.
const AT_ONCE = 32;

/**
 * Maps in parallel, a bounded number at once; results keep the order of the items.
 *
 * @throws the signal's reason, once it is aborted
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal: AbortSignal | undefined,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const queue = items.entries();
  const drain = async () => {
    for (const [index, item] of queue) {
      signal?.throwIfAborted();
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, drain));
  return results;
}
