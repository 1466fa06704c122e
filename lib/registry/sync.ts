import type { Encoder } from '../models/encoder.ts';
import { embedMissing } from './embed-missing.ts';
import { indexView } from './index-view.ts';
import type { Progress } from './progress.ts';
import type { Root } from './roots.ts';
import { changeLocations } from './store/locations.ts';
import type { SkillStore } from './store/skill-store.ts';
import { planAll, planSome } from './sync-plan.ts';
import type { SyncReport } from './sync-report.ts';

export interface SyncOptions {
  readonly encoder: Encoder;
  /** Whether to give a store of another encoder this one, and embed all its skills anew. */
  readonly reEmbed?: boolean | undefined;
  /** The only files that may have changed. Default: any. */
  readonly paths?: readonly string[] | undefined;
  readonly onProgress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a store say what the folders say: one change, visible whole or not at all. Files of unchanged
 * size, date and inode are not read, and only texts that have no vector are embedded. A file that no
 * longer gives a skill keeps the last one that it gave.
 * @throws {SkillspanError} `ERR_MODEL_MISMATCH`; what the encoder throws.
 */
export async function syncStore(
  store: SkillStore,
  roots: readonly Root[],
  options: SyncOptions,
): Promise<SyncReport> {
  const { encoder, paths, signal } = options;
  let embedded = options.reEmbed ? await reEmbed(store, options) : 0;
  store.checkEncoder(encoder);
  const embeddings = store.embeddings(encoder);
  for (;;) {
    signal?.throwIfAborted();
    const base = store.change;
    const some = paths && (await planSome(store, roots, paths, signal));
    const { files, gone, counts, warnings } = some ?? (await planAll(store, roots, signal));
    const texts = files.flatMap(({ skill }) => (skill ? [indexView(skill)] : []));
    embedded += await embedMissing(embeddings, texts, encoder, options);
    const done =
      (files.length === 0 && gone.length === 0) ||
      store.tryChange(base, encoder, (changes) =>
        changeLocations(store.connection, changes, files, gone),
      );
    // Somebody else wrote meanwhile: what is embedded stays, the rest is planned anew.
    if (!done) continue;
    // What was embedded for a change that never came.
    if (!some && embedded > 0) embeddings.dropUnused();
    return { ...counts, embedded, cached: store.textCount - embedded, warnings };
  }
}

async function reEmbed(store: SkillStore, options: SyncOptions): Promise<number> {
  const { encoder } = options;
  let embedded = 0;
  while (store.encoder && store.encoder.fingerprint !== encoder.fingerprint) {
    embedded += await embedMissing(store.embeddings(encoder), store.texts(), encoder, options);
    if (store.tryAdopt(encoder)) break;
  }
  return embedded;
}
