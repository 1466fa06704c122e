import { join } from 'node:path';
import type { Dataset } from '../eval/datasets/dataset.ts';
import { Workbench } from '../eval/workbench.ts';
import { openEncoder } from '../routing/router.ts';
import type { Progress } from '../routing/types.ts';
import { progressBar } from './progress.ts';

export interface BenchFlags {
  dataset: string;
  model?: string;
  cache?: string;
}

/** Opens a workbench over a dataset, with progress bars, and closes it whatever becomes of the work. */
export async function withBench<T>(
  dataset: Dataset,
  flags: BenchFlags,
  title: string,
  work: (bench: Workbench, onProgress: Progress) => Promise<T>,
): Promise<T> {
  const embedding = progressBar('embedding');
  const working = progressBar(title);
  const encoder = await openEncoder(flags.model);
  try {
    const bench = await Workbench.open(dataset.skills, {
      encoder,
      cacheDir: flags.cache ?? join(flags.dataset, '.skillspan'),
      onProgress: embedding.step,
    });
    embedding.stop();
    try {
      return await work(bench, working.step);
    } finally {
      await bench.encoder.dispose();
      for (const problem of bench.cacheProblems) console.error(problem);
    }
  } finally {
    embedding.stop();
    working.stop();
    await encoder.dispose();
  }
}
