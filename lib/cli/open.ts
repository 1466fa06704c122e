import { readFile } from 'node:fs/promises';
import { Prose, unexpected } from '../errors.ts';
import type { Reranker } from '../models/reranker.ts';
import type { Settings } from '../routing/recipe.ts';
import { SkillRouter } from '../routing/router.ts';
import type { OpenReport } from '../routing/types.ts';
import { progressBar } from './progress.ts';

export interface OpenOptions {
  model?: string;
  cache?: string;
  settings?: string;
  reEmbed?: boolean;
}

/** Opens a registry with a progress bar; what went wrong on the way goes to stderr. */
export async function openRegistry(
  roots: readonly string[] | undefined,
  options: OpenOptions,
  reranker?: Reranker,
) {
  const bar = progressBar('embedding');
  try {
    return await SkillRouter.open({
      ...(roots && { registry: roots }),
      onProgress: bar.step,
      ...(reranker && { reranker }),
      ...(options.model && { model: options.model }),
      ...(options.reEmbed && { reEmbed: true }),
      ...(options.cache && { cacheDir: options.cache }),
      ...(options.settings && { settings: await readSettingsFile(options.settings) }),
    });
  } finally {
    bar.stop();
  }
}

/** Every warning on a line of its own, `path:line: message`, as compilers print them. */
export function printWarnings({ warnings, cacheProblem }: OpenReport): void {
  for (const { path, line, message } of warnings) console.error(`${path}:${line}: ${message}`);
  if (cacheProblem) console.error(cacheProblem);
}

async function readSettingsFile(path: string): Promise<Partial<Settings>> {
  try {
    const settings: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (settings !== null && typeof settings === 'object') return settings;
    throw new Error('no object');
  } catch (error) {
    const came = new Prose(error instanceof Error ? error.message : String(error));
    throw unexpected('ERR_FILE', path, 'settings as `skillspan tune --out` writes them', came);
  }
}
