import { basename, resolve } from 'node:path';
import { type SkillspanError, unexpected } from '../../errors.ts';
import type { Dataset } from './dataset.ts';

/** One way in which skills and requests lie in a folder. */
export interface DatasetFormat {
  readonly name: string;
  /** What the folder must hold, by which the format is recognised. */
  readonly files: readonly string[];
  /**
   * @param split a part of the dataset by name, as the format understands it; undefined for its default.
   * @throws {SkillspanError} `ERR_DATASET_INVALID`, `ERR_DATASET_NOT_FOUND`.
   */
  read(folder: string, split: string | undefined): Promise<Dataset>;
}

/** A dataset is called after its folder. */
export function nameOf(folder: string): string {
  return basename(resolve(folder));
}

export function unknownSplit(split: string, known: Iterable<string>): SkillspanError {
  const expected = `one of ${[...known].join(', ')}`;
  return unexpected('ERR_INVALID_ARGUMENT', 'split', expected, split);
}
