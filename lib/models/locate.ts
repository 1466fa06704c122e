import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SkillspanError, unexpected } from '../errors.ts';
import { CachedRepository, exists, hubCacheDir } from './hub-cache.ts';
import { type DownloadOptions, download, isOffline } from './hub-download.ts';
import { defaultModelFolder, ONNX_FILES } from './model-folder.ts';
import { type Dtype, findPreset, PRESETS } from './presets.ts';

export type LocateOptions = DownloadOptions;

export interface Located {
  readonly path: string;
  /** The preset that the name stands for, if it is one's. */
  readonly preset: string | undefined;
}

/** The preset that also comes as an npm package. */
const PACKAGED = 'bge-small-en-v1.5';

/** `organisation/name`, as the hub writes it. */
const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;

/**
 * The folder of a model: one that is there, or that of a preset or a hub repository, which is downloaded
 * unless the cache has it or the environment says HF_HUB_OFFLINE.
 * @param dtypes number types that will do, in order of preference.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND`, `ERR_MODEL_DOWNLOAD`.
 */
export async function locateModel(
  model: string | undefined,
  dtypes: readonly Dtype[],
  options: LocateOptions,
): Promise<Located> {
  if (model === undefined) return { path: await defaultModelFolder(), preset: undefined };
  const found = await stat(model).catch(() => undefined);
  if (found?.isDirectory()) return { path: model, preset: undefined };
  const preset = presetNamed(model);
  if (preset === PACKAGED) {
    const folder = await defaultModelFolder().catch(() => undefined);
    if (folder) return { path: folder, preset };
  }
  const repository = preset === undefined ? model : PRESETS[preset]!.hub;
  if (!REPOSITORY.test(repository)) {
    const expected = `an existing folder, a repository of the hub (org/name) or one of ${Object.keys(PRESETS).join(', ')}`;
    throw unexpected('ERR_MODEL_NOT_FOUND', 'model path', expected, model);
  }
  const cached = await cachedModel(repository, dtypes);
  if (cached !== undefined) return { path: cached, preset };
  if (isOffline()) {
    throw new SkillspanError(
      'ERR_MODEL_NOT_FOUND',
      `${repository}: expected it in ${hubCacheDir()}, as HF_HUB_OFFLINE forbids to download it, got nothing there`,
    );
  }
  return { path: await download(repository, dtypes, options), preset };
}

/** The snapshot of a repository that is whole: its graph is the last to come. */
async function cachedModel(
  repository: string,
  dtypes: readonly Dtype[],
): Promise<string | undefined> {
  const snapshot = await new CachedRepository(repository).snapshot();
  if (snapshot === undefined) return undefined;
  for (const name of dtypes.flatMap((dtype) => ONNX_FILES[dtype])) {
    for (const file of [path.join(snapshot, 'onnx', name), path.join(snapshot, name)]) {
      if (await exists(file)) return snapshot;
    }
  }
  return undefined;
}

function presetNamed(model: string): string | undefined {
  const preset = findPreset(model);
  return Object.keys(PRESETS).find((name) => PRESETS[name] === preset);
}
