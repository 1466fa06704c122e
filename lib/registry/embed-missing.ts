import type { Encoder } from '../models/encoder.ts';
import type { Embeddings } from './embeddings.ts';
import { cutView } from './index-view.ts';
import type { Progress } from './progress.ts';

/** Texts embedded and saved in one go: what an interruption can cost. */
const CHUNK = 256;

/**
 * Embeds those of some views that have no vector yet, each once, and keeps their vectors as it goes. The
 * encoder is shown of each what it looks at; the whole view identifies the vector.
 * @returns how many there were.
 */
export async function embedMissing(
  embeddings: Embeddings,
  views: Iterable<string>,
  encoder: Encoder,
  { onProgress, signal }: { onProgress?: Progress | undefined; signal?: AbortSignal | undefined },
): Promise<number> {
  const missing = embeddings.missing(views);
  for (let first = 0; first < missing.length; first += CHUNK) {
    const chunk = missing.slice(first, first + CHUNK);
    const texts = chunk.map((view) => cutView(view, encoder.caps));
    const vectors = await encoder.encode(texts, {
      kind: 'document',
      onProgress: (done) => onProgress?.(first + done, missing.length),
      ...(signal && { signal }),
    });
    embeddings.put(chunk, vectors);
  }
  return missing.length;
}
