import { readFile, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Prose, unexpected } from '../errors.ts';
import { readDataset } from '../eval/datasets/read-dataset.ts';
import { checkKs } from '../eval/evaluate.ts';
import { type Figures, type Tuning, tune } from '../eval/tune.ts';
import { number, numbers } from './arguments.ts';
import { type BenchFlags, withBench } from './with-bench.ts';

interface TuneFlags extends BenchFlags {
  k: number[];
  split?: string;
  negatives?: string;
  seed: number;
  out?: string;
  json?: boolean;
}

/** `skillspan tune --dataset <dir>`: settings for a registry from requests whose answers are known. */
export function addTuneCommand(program: Command): void {
  program
    .command('tune')
    .description('choose settings on half of the requests, and measure them on the other half')
    .requiredOption('--dataset <dir>', 'a folder with skills, and requests whose answers are known')
    .option('--k <sizes>', 'shortlist sizes, parted by commas', numbers, [5, 10])
    .option('--split <name>', 'a part of the dataset')
    .option('--negatives <file>', 'requests that no skill serves, one a line')
    .option('--seed <number>', 'of the halves', number, 1)
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--cache <folder>', 'where embeddings are kept (default: .skillspan in the dataset)')
    .option('--out <file>', 'write the settings here, for `route --settings`')
    .option('--json', 'print all figures as JSON')
    .action(async (flags: TuneFlags) => {
      const ks = checkKs(flags.k);
      const negatives = flags.negatives === undefined ? [] : await lines(flags.negatives);
      const tuning = await run({ ...flags, k: ks }, negatives);
      console.log(flags.json ? JSON.stringify(tuning, undefined, 2) : render(tuning));
      if (flags.out) {
        await writeFile(flags.out, `${JSON.stringify(tuning.settings, undefined, 2)}\n`);
      }
    });
}

async function lines(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    const came = new Prose(error.message);
    throw unexpected('ERR_FILE', 'negatives', 'a file that can be read', came);
  });
  return text.split('\n').filter((line) => line.trim() !== '');
}

async function run(flags: TuneFlags, negatives: readonly string[]): Promise<Tuning> {
  const split = flags.split === undefined ? {} : { split: flags.split };
  const dataset = await readDataset(flags.dataset, split);
  return withBench(dataset, flags, 'tuning', async (bench, onProgress) => {
    const options = { ks: flags.k, negatives, seed: flags.seed, onProgress };
    return tune(await bench.router(), dataset.requests, options);
  });
}

function render({ settings, tunedOn, heldOut, threshold }: Tuning): string {
  const line = (name: string, { before, after }: { before: Figures; after: Figures }) =>
    `${name.padEnd(9)} n ${before.n}: full coverage ${percent(before.fullCoverage)} -> ` +
    `${percent(after.fullCoverage)}, recall ${percent(before.recall)} -> ${percent(after.recall)}`;
  const { minScore, kept, falseAnswers } = threshold;
  return [
    line('tuned on', tunedOn),
    line('held out', heldOut),
    `minScore ${minScore.toFixed(3)} keeps ${percent(kept)} of the held-out requests` +
      `${falseAnswers === undefined ? '' : ` and answers ${percent(falseAnswers)} of the negatives`}`,
    `settings ${JSON.stringify(settings)}`,
  ].join('\n');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
