import type { Encoder } from '../models/encoder.ts';
import { embedMissing } from '../registry/embed-missing.ts';
import { indexView } from '../registry/index-view.ts';
import type { Progress } from '../registry/progress.ts';
import type { Skill } from '../registry/registry.ts';
import { SkillStore } from '../registry/store/skill-store.ts';

export interface Embedded {
  /** skills.length × dim, row-major. */
  readonly vectors: Float32Array;
  readonly embedded: number;
  readonly cached: number;
  readonly cacheProblem: string | undefined;
}

/**
 * Embeds a view of each skill, by default its plain index view, each distinct text once, and only what the
 * store of a folder lacks. What neither these skills nor its own have any use for, the store drops.
 */
export async function embedSkills(
  skills: readonly Skill[],
  encoder: Encoder,
  cacheDir: string,
  {
    view = indexView,
    ...options
  }: {
    onProgress?: Progress | undefined;
    signal?: AbortSignal | undefined;
    view?: (skill: Skill) => string;
  },
): Promise<Embedded> {
  const store = SkillStore.open(cacheDir);
  try {
    const embeddings = store.embeddings(encoder);
    const views = skills.map((skill) => view(skill));
    const embedded = await embedMissing(embeddings, views, encoder, options);
    embeddings.dropUnused(views);
    const vectors = new Float32Array(skills.length * encoder.dim);
    for (const [i, text] of views.entries()) {
      vectors.set(embeddings.get(text)!, i * encoder.dim);
    }
    const cached = new Set(views).size - embedded;
    return { vectors, embedded, cached, cacheProblem: store.problem };
  } finally {
    store.close();
  }
}
