import type { Encoder } from '../models/encoder.ts';
import { EmbeddingCache } from '../registry/embedding-cache.ts';
import { indexView } from '../registry/index-view.ts';
import type { Skill } from '../registry/registry.ts';
import type { Progress } from './types.ts';

/** Texts embedded in one go. */
const CHUNK = 256;

/**
 * The cache is saved after a chunk unless that would take more than this share of the time: saving
 * rewrites it whole, and of 80,000 texts after each chunk would cost more than it could save.
 */
const SAVING_SHARE = 0.05;

export interface Embedded {
  /** skills.length × dim, row-major. */
  readonly vectors: Float32Array;
  readonly embedded: number;
  readonly cached: number;
  readonly cacheProblem: string | undefined;
}

/**
 * Embeds a view of each skill, by default its plain index view, each distinct text once, and only what the
 * cache lacks.
 */
export async function embedSkills(
  skills: readonly Skill[],
  encoder: Encoder,
  cacheDir: string,
  {
    onProgress,
    signal,
    view = indexView,
  }: {
    onProgress?: Progress | undefined;
    signal?: AbortSignal | undefined;
    view?: (skill: Skill) => string;
  },
): Promise<Embedded> {
  const { dim, fingerprint } = encoder;
  const cache = await EmbeddingCache.open(cacheDir, { fingerprint, dim });
  const views = skills.map((skill) => view(skill));
  const texts = [...new Set(views)];
  const missing = texts.filter((text) => cache.get(text) === undefined);
  // A cache that cannot be written costs time, not answers: say so once and go on.
  let cacheProblem = cache.problem;
  let lastSave = { at: performance.now(), took: 0 };
  const save = async (keep?: readonly string[]) => {
    const started = performance.now();
    await cache.save(keep).catch((error: Error) => {
      cacheProblem = `embeddings could not be saved in ${cacheDir}: ${error.message}`;
    });
    const at = performance.now();
    lastSave = { at, took: at - started };
  };

  try {
    for (let first = 0; first < missing.length; first += CHUNK) {
      const chunk = missing.slice(first, first + CHUNK);
      const vectors = await encoder.encode(chunk, {
        kind: 'document',
        onProgress: (done) => onProgress?.(first + done, missing.length),
        ...(signal && { signal }),
      });
      for (const [i, text] of chunk.entries())
        cache.set(text, vectors.slice(i * dim, (i + 1) * dim));
      const since = performance.now() - lastSave.at;
      if (lastSave.took < SAVING_SHARE * since) await save();
    }
  } finally {
    // Also of an embedding that was aborted.
    if (missing.length > 0) await save();
  }
  if (cache.size > texts.length) await save(texts);

  const vectors = new Float32Array(skills.length * dim);
  for (const [i, view] of views.entries()) vectors.set(cache.get(view)!, i * dim);
  return { vectors, embedded: missing.length, cached: texts.length - missing.length, cacheProblem };
}
