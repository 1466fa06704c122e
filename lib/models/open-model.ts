import { unexpected } from '../errors.ts';
import {
  chooseProvider,
  type Device,
  fallback,
  type Provider,
  preferredDtypes,
  surroundings,
  tell,
} from './devices.ts';
import { type LocateOptions, locateModel } from './locate.ts';
import { type ModelFolder, ONNX_FILES, readModelFolder } from './model-folder.ts';
import type { Dtype } from './presets.ts';
import type { SessionOptions } from './session.ts';
import { SessionThread } from './session-thread.ts';
import { defaultThreads } from './threads.ts';

export interface ModelOptions extends LocateOptions {
  /**
   * A Hugging Face style folder, the name of a preset, or a repository of the hub (`org/name`), which is
   * downloaded once. Encoders default to the package of bge-small-en-v1.5, if installed.
   */
  readonly model?: string;
  /** The preset that a folder is of; those of names and repositories are known. */
  readonly preset?: string;
  /** Default: `auto`. */
  readonly device?: Device;
  /** Number type of the weights. Default: half precision on a GPU, else full. */
  readonly dtype?: Dtype;
  /** Threads per model run. Default: one per core, four at most. */
  readonly threads?: number;
}

export interface OpenModel {
  readonly folder: ModelFolder;
  /** Name of the preset, of the repository, or of neither. */
  readonly preset: string | undefined;
  readonly session: SessionThread;
  readonly provider: Provider;
}

/** Finds a model, reads its folder and opens its graph. Errors: see OnnxEncoder.open. */
export async function openModel(
  options: ModelOptions,
  purpose: SessionOptions['purpose'],
): Promise<OpenModel> {
  checkOptions(options);
  const { device = 'auto', dtype, threads = defaultThreads() } = options;
  let choice = chooseProvider(device, surroundings());
  for (;;) {
    const dtypes = dtype ? [dtype] : preferredDtypes(choice.provider);
    const { path, preset } = await locateModel(options.model, dtypes, options);
    const folder = await readModelFolder(path, dtypes);
    const { onnxFile } = folder;
    const { provider } = choice;
    try {
      const session = await SessionThread.open({ onnxFile, purpose, provider, threads });
      tell(choice.note);
      return { folder, preset: options.preset ?? preset, session, provider };
    } catch (error) {
      choice = fallback(device, choice, error as Error);
    }
  }
}

function checkOptions(options: ModelOptions): void {
  for (const name of ['model', 'preset'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') {
      throw unexpected('ERR_INVALID_ARGUMENT', name, 'a string', value);
    }
  }
  const { dtype, threads } = options;
  if (dtype !== undefined && !Object.hasOwn(ONNX_FILES, dtype)) {
    const expected = `one of ${Object.keys(ONNX_FILES).join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'dtype', expected, dtype);
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1)) {
    throw unexpected('ERR_OUT_OF_RANGE', 'threads', 'an integer of at least 1', threads);
  }
}
