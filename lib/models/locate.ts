import { stat } from 'node:fs/promises';
import { unexpected } from '../errors.ts';
import { defaultModelFolder } from './model-folder.ts';
import { type Dtype, findPreset } from './presets.ts';

export interface LocateOptions {
  readonly signal?: AbortSignal;
}

export interface Located {
  readonly path: string;
  /** The preset that the name stands for, if it is one's. */
  readonly preset: string | undefined;
}

const DEFAULT_MODEL = 'bge-small-en-v1.5';

/**
 * The folder of a model: one that is there, or that of a preset or a hub repository.
 * @param dtypes number types that will do, in order of preference.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND`.
 */
export async function locateModel(
  model: string | undefined,
  _dtypes: readonly Dtype[],
  _options: LocateOptions,
): Promise<Located> {
  if (model === undefined) return { path: await defaultModelFolder(), preset: undefined };
  const found = await stat(model).catch(() => undefined);
  if (found?.isDirectory()) return { path: model, preset: undefined };
  if (model === DEFAULT_MODEL) return { path: await defaultModelFolder(), preset: model };
  const expected = 'an existing model folder';
  throw unexpected('ERR_MODEL_NOT_FOUND', 'model', expected, findPreset(model)?.hub ?? model);
}
