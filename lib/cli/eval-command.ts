import { type Command, Option } from 'commander';
import type { Dataset } from '../eval/datasets/dataset.ts';
import { readDataset } from '../eval/datasets/read-dataset.ts';
import { checkKs, type Evaluation, evaluate } from '../eval/evaluate.ts';
import { checkIndexViews, INDEX_VIEWS } from '../eval/index-views.ts';
import { checkMethodNames, METHOD_NAMES, makeMethods } from '../eval/methods/index.ts';
import { sample } from '../eval/random.ts';
import { renderHtml } from '../eval/report/html.ts';
import { renderText } from '../eval/report/text.ts';
import { parseSweep, type Sweep, sweepMethods } from '../eval/sweep.ts';
import { wholeNumber } from '../validate.ts';
import { names, number, numbers, repeated } from './arguments.ts';
import { KEY_VARIABLE } from './endpoint.ts';
import {
  openRerankers,
  type RerankerFlags,
  type Rerankers,
  rerankedMethods,
} from './eval-rerankers.ts';
import { evaluateViews, renderViews, type ViewFlags } from './eval-views.ts';
import { type BenchFlags, withBench } from './with-bench.ts';
import { writePage } from './write-page.ts';

interface EvalFlags extends BenchFlags, ViewFlags, RerankerFlags {
  indexView?: string[];
  methods: string[];
  k: number[];
  baseline: string;
  sweep?: string[];
  split?: string;
  limit?: number;
  html?: string;
}

/** `skillspan eval --dataset <dir>`: how well methods cover requests whose answers are known. */
export function addEvalCommand(program: Command): void {
  program
    .command('eval')
    .description('measure how well methods cover requests whose answers are known')
    .requiredOption('--dataset <dir>', 'a folder with skills, and requests whose answers are known')
    .option(
      '--methods <names>',
      `parted by commas (default: ${METHOD_NAMES.join(',')})`,
      names,
      METHOD_NAMES,
    )
    .option('--k <sizes>', 'shortlist sizes, parted by commas', numbers, [3, 5, 10, 20])
    .option('--baseline <name>', 'the method that the others are compared with', 'topk')
    .option(
      '--sweep <parameter=values>',
      'dsr at several values of lambda or sharpness, parted by commas; may be repeated',
      repeated,
    )
    .option(
      '--reranker <model>',
      'rank and choose by its logits too: a preset, a hub repository or a folder',
    )
    .option('--llm <model>', 'rank by a language model too')
    .option('--base-url <url>', `its OpenAI-compatible endpoint; the key is in ${KEY_VARIABLE}`)
    .option('--split <name>', 'a part of the dataset')
    .option('--limit <number>', 'a random sample of so many requests', number)
    .option('--seed <number>', 'of the sample and the bootstrap', number, 1)
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--cache <folder>', 'where embeddings are kept (default: .skillspan in the dataset)')
    .option(
      '--index-view <names>',
      `compare what is indexed of a skill, parted by commas: ${INDEX_VIEWS.join(', ')}`,
      names,
    )
    .option('--pages <file>', 'pages for --index-view (default: extractive ones)')
    .addOption(
      new Option('--view-order <name>', 'where the page stands in the view')
        .choices(['page-first', 'document-first'])
        .default('page-first'),
    )
    .option('--json', 'print all figures as JSON')
    .option('--html <file>', 'write a report with charts and examples')
    .action(async (flags: EvalFlags) => {
      // What can be refused at once is refused before anything is embedded.
      const sweeps = (flags.sweep ?? []).map(parseSweep);
      checkMethodNames([flags.baseline, ...flags.methods]);
      checkKs(flags.k);
      const views = checkIndexViews(flags.indexView ?? []);
      const dataset = await readSample(flags);
      if (views.length > 0) {
        const results = await withBench(dataset, flags, 'evaluating', (bench, onProgress) =>
          evaluateViews(dataset, bench, views, flags, onProgress),
        );
        console.log(
          flags.json ? JSON.stringify(results, undefined, 2) : renderViews(dataset, results),
        );
        return;
      }
      const rerankers = await openRerankers(flags);
      const evaluation = await run(dataset, sweeps, rerankers, flags).finally(() =>
        rerankers.model?.dispose(),
      );
      console.log(flags.json ? toJson(evaluation, sweeps, flags) : renderText(evaluation));
      if (flags.html) {
        await writePage(flags.html, renderHtml(evaluation, { skills: dataset.skills, sweeps }));
      }
    });
}

async function readSample({ dataset: folder, split, limit, seed }: EvalFlags): Promise<Dataset> {
  const dataset = await readDataset(folder, split === undefined ? {} : { split });
  if (limit === undefined) return dataset;
  const n = wholeNumber('limit', limit, 1, 1e9);
  return { ...dataset, requests: sample(dataset.requests, n, seed) };
}

function run(
  dataset: Dataset,
  sweeps: readonly Sweep[],
  rerankers: Rerankers,
  flags: EvalFlags,
): Promise<Evaluation> {
  const { k: ks, baseline, seed } = flags;
  return withBench(dataset, flags, 'evaluating', (bench, onProgress) => {
    const methods = [
      ...makeMethods(bench, [...new Set([baseline, ...flags.methods])]),
      ...sweeps.flatMap((sweep) => sweepMethods(bench, sweep)),
      ...rerankedMethods(bench, rerankers),
    ];
    return evaluate(dataset, bench, methods, { ks, baseline, seed, onProgress });
  });
}

function toJson(
  { dataset, config, methods }: Evaluation,
  sweeps: readonly Sweep[],
  { split = null, limit = null }: { split?: string | null; limit?: number | null },
): string {
  return JSON.stringify(
    { dataset, config: { ...config, split, limit, sweeps }, methods },
    undefined,
    2,
  );
}
