import type { Encoder } from '../models/encoder.ts';
import { FolderWatcher } from '../registry/folder-watcher.ts';
import type { Root } from '../registry/roots.ts';
import type { LiveCatalog } from './live-catalog.ts';
import type { WatchOptions } from './types.ts';

/** Takes over into a live catalog whatever changes below folders. */
export function followFolders(
  live: LiveCatalog,
  roots: readonly Root[],
  encoder: Encoder,
  { onSync, onProblem }: WatchOptions,
): Promise<FolderWatcher> {
  const report = (problem: unknown) => onProblem?.(problem as Error);
  return FolderWatcher.open(roots, {
    onFiles: async (paths) => {
      try {
        onSync?.(await live.sync(roots, { encoder, paths }));
      } catch (problem) {
        report(problem);
      }
    },
    onProblem: report,
  });
}
