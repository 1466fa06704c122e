import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Prose, unexpected } from '../../errors.ts';
import type { Dataset } from './dataset.ts';
import { registryFolder } from './folder.ts';
import type { DatasetFormat } from './format.ts';
import { jsonLines } from './json-lines.ts';
import { skillRouterBenchmark } from './skill-router.ts';
import { sraBench } from './sra-bench.ts';

const FORMATS: readonly DatasetFormat[] = [
  jsonLines,
  registryFolder,
  skillRouterBenchmark,
  sraBench,
];

/**
 * Reads a dataset in whichever format its files show it to have.
 * @param split a part of it by name; what that is, each format says.
 * @throws {SkillspanError} `ERR_DATASET_NOT_FOUND` where no format fits; `ERR_DATASET_INVALID` naming file
 *   and line where a record is malformed, an id comes twice or a gold skill is unknown, or where nothing
 *   is left to evaluate; `ERR_INVALID_ARGUMENT` for a split that is not there.
 */
export async function readDataset(
  folder: string,
  { split }: { split?: string } = {},
): Promise<Dataset> {
  const format = await detect(folder);
  const dataset = await format.read(folder, split);
  for (const part of ['skills', 'requests'] as const) {
    if (dataset[part].length > 0) continue;
    const came = new Prose(['none', ...dataset.notes].join('; '));
    throw unexpected('ERR_DATASET_INVALID', folder, `${part} to evaluate`, came);
  }
  return dataset;
}

async function detect(folder: string): Promise<DatasetFormat> {
  for (const format of FORMATS) {
    const found = await Promise.all(format.files.map((file) => exists(join(folder, file))));
    if (found.every(Boolean)) return format;
  }
  const layouts = FORMATS.map(({ files }) => files.join(' and ')).join('; or ');
  const came = new Prose((await exists(folder)) ? 'none of them' : 'no such folder');
  throw unexpected('ERR_DATASET_NOT_FOUND', folder, `a folder with ${layouts}`, came);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
