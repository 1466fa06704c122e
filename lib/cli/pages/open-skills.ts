import { join } from 'node:path';
import { Prose, unexpected } from '../../errors.ts';
import type { Encoder } from '../../models/encoder.ts';
import { readRegistry, type Skill } from '../../registry/registry.ts';
import { embedSkills } from '../../routing/embed.ts';
import { openEncoder } from '../../routing/router.ts';
import { progressBar } from '../progress.ts';

export interface SkillFlags {
  registry: string[];
  model?: string;
  cache?: string;
}

/** A registry and the vectors of its skills. */
export interface EmbeddedSkills {
  readonly skills: readonly Skill[];
  /** skills.length × dim, row-major. */
  readonly vectors: Float32Array;
  readonly dim: number;
  readonly encoder: Encoder;
  /** Folder for what is kept beside the registry. */
  readonly cacheDir: string;
}

/**
 * Reads a registry, embeds what the cache lacks, and hands both to `work`; the encoder is open for as long
 * as that takes.
 * @throws {SkillspanError} `ERR_EMPTY_INDEX` for a registry without skills; what reading and encoding throw.
 */
export async function withEmbeddedSkills<T>(
  { registry, model, cache }: SkillFlags,
  work: (embedded: EmbeddedSkills) => Promise<T>,
): Promise<T> {
  const { skills, cacheDir } = await readSkills({ registry, ...(cache && { cache }) });
  const encoder = await openEncoder(model);
  const bar = progressBar('embedding');
  try {
    const { vectors, cacheProblem } = await embedSkills(skills, encoder, cacheDir, {
      onProgress: bar.step,
    });
    bar.stop();
    if (cacheProblem) console.error(cacheProblem);
    return await work({ skills, vectors, dim: encoder.dim, encoder, cacheDir });
  } finally {
    bar.stop();
    await encoder.dispose();
  }
}

/** The skills alone, where no vectors are needed. */
export async function readSkills({
  registry,
  cache,
}: SkillFlags): Promise<{ skills: readonly Skill[]; cacheDir: string }> {
  const { skills, roots, warnings } = await readRegistry(registry);
  if (skills.length === 0) {
    const expected = `at least one usable SKILL.md below ${roots.join(', ')}`;
    const came = new Prose(`none (${warnings.length} warnings)`);
    throw unexpected('ERR_EMPTY_INDEX', 'registry', expected, came);
  }
  return { skills, cacheDir: cache ?? join(roots[0]!, '.skillspan') };
}
