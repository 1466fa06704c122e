import { type Dataset, type EvalRequest, Workbench } from '../../lib/eval/index.ts';
import type { Encoder } from '../../lib/index.ts';
import { contentHash } from '../../lib/registry/skill-file.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const texts: Record<string, string> = {
  'pdf-read': 'extract text from pdf files',
  'pdf-read-copy': 'extract text from pdf files',
  'pdf-ocr': 'extract text from scanned pdf images',
  mail: 'write and send an email message',
  sheet: 'build a spreadsheet table with formulas',
  chart: 'draw a chart of numbers',
};

/** Six skills, two of them alike, and requests of which one needs one skill and two need two. */
export function tinyDataset(requests: readonly EvalRequest[] = tinyRequests): Dataset {
  const skills = Object.entries(texts).map(([id, description]) => {
    // Copies have one name: it is part of what is embedded.
    const content = { name: id.replace('-copy', ''), description, body: '' };
    return { id, ...content, path: '/corpus', metadata: {}, contentHash: contentHash(content) };
  });
  return { name: 'tiny', format: 'test', skills, requests, notes: [] };
}

const tinyRequests: readonly EvalRequest[] = [
  { id: 'one', text: 'send an email message', gold: ['mail'] },
  { id: 'two', text: 'extract text from pdf files, send an email', gold: ['pdf-read', 'mail'] },
  { id: 'three', text: 'spreadsheet table; then a chart of numbers', gold: ['sheet', 'chart'] },
];

export async function openBench(
  dataset: Dataset,
  options: { encoder?: Encoder; cacheDir?: string } = {},
): Promise<Workbench> {
  const { encoder = new WordEncoder(), cacheDir = await temporaryFolder() } = options;
  return Workbench.open(dataset.skills, { encoder, cacheDir });
}
