import type { Encoder } from '../models/encoder.ts';
import type { Embeddings } from './embeddings.ts';
import type { Progress } from './progress.ts';

/** Texts embedded and saved in one go: what an interruption can cost. */
const CHUNK = 256;

/**
 * Embeds those of some texts that have no vector yet, each once, and keeps their vectors as it goes.
 * @returns how many there were.
 */
export async function embedMissing(
  embeddings: Embeddings,
  texts: Iterable<string>,
  encoder: Encoder,
  { onProgress, signal }: { onProgress?: Progress | undefined; signal?: AbortSignal | undefined },
): Promise<number> {
  const missing = embeddings.missing(texts);
  for (let first = 0; first < missing.length; first += CHUNK) {
    const chunk = missing.slice(first, first + CHUNK);
    const vectors = await encoder.encode(chunk, {
      kind: 'document',
      onProgress: (done) => onProgress?.(first + done, missing.length),
      ...(signal && { signal }),
    });
    embeddings.put(chunk, vectors);
  }
  return missing.length;
}
