import { join } from 'node:path';
import type { Command } from 'commander';
import { SkillspanError } from '../../errors.ts';
import { pairedBootstrap } from '../../eval/bootstrap.ts';
import type { EvalRequest } from '../../eval/datasets/dataset.ts';
import { readDataset } from '../../eval/datasets/read-dataset.ts';
import { mean } from '../../eval/statistics.ts';
import { CardRouter } from '../../pages/route-one.ts';
import { openEncoder, SkillRouter } from '../../routing/router.ts';
import { number } from '../arguments.ts';
import { openModel } from '../endpoint.ts';
import { openRegistry } from '../open.ts';
import { progressBar } from '../progress.ts';
import { openPages, type WriterFlags } from './page-flags.ts';

interface Flags extends WriterFlags {
  registry?: string[];
  dataset?: string;
  pages?: string;
  k: number;
  boundaries: boolean;
  model?: string;
  cache?: string;
  json?: boolean;
}

/**
 * `skillspan pages choose "<request>"`: the one skill that a language model chooses from cards; or with
 * `--dataset` how often that is right, with and without boundaries.
 */
export function addChooseCommand(pages: Command): void {
  pages
    .command('choose')
    .description(
      'let a language model choose one skill from cards, or measure how often it is right',
    )
    .argument('[request]', 'what the user asks for')
    .option('--registry <dir...>', 'registry folders')
    .option('--dataset <dir>', 'requests whose answers are known, instead of one request')
    .requiredOption('--llm <name>', 'the language model that chooses')
    .requiredOption(
      '--base-url <url>',
      'its OpenAI-compatible endpoint; the key is in SKILLSPAN_API_KEY',
    )
    .option('--timeout <seconds>', 'for one call (20)', number)
    .option('-k <number>', 'candidates whose cards are read', number, 10)
    .option('--no-boundaries', 'leave T⁻ out of the cards')
    .option('--pages <file>', 'where pages are kept (default: pages.jsonl in the cache)')
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--cache <folder>', 'what is kept (default: .skillspan in the first folder)')
    .option('--json', 'print the answer as JSON')
    .action(async (request: string | undefined, flags: Flags) => {
      const { registry, dataset } = flags;
      if (dataset !== undefined) await measure(dataset, flags);
      else if (request !== undefined && registry) await chooseOne(request, registry, flags);
      else {
        const message = 'choose: expected a request and --registry, or --dataset, got neither';
        throw new SkillspanError('ERR_INVALID_ARGUMENT', message);
      }
    });
}

async function chooseOne(request: string, registry: readonly string[], flags: Flags) {
  const router = await openRegistry(registry, flags);
  try {
    const { cacheDir } = router.report;
    const cards = await cardRouter(router, cacheDir, flags);
    const { k, boundaries } = flags;
    const chosen = await cards.routeOne(request, { k, boundaries });
    if (flags.json) {
      console.log(JSON.stringify(chosen, undefined, 2));
      return;
    }
    if (chosen.degraded) console.error(`degraded: ${chosen.degraded}`);
    console.log(chosen.skill ?? 'none');
  } finally {
    await router.dispose();
  }
}

async function measure(folder: string, flags: Flags): Promise<void> {
  const dataset = await readDataset(folder);
  const cacheDir = flags.cache ?? join(folder, '.skillspan');
  const encoder = await openEncoder(flags.model);
  const bar = progressBar('choosing');
  try {
    const router = await SkillRouter.from(dataset.skills, { encoder, cacheDir });
    const cards = await cardRouter(router, cacheDir, flags);
    const right = (id: string | undefined, { gold }: EvalRequest) =>
      Number(gold.includes(id ?? ''));
    const first: number[] = [];
    const without: number[] = [];
    const withThem: number[] = [];
    let degraded = 0;
    for (const [i, request] of dataset.requests.entries()) {
      for (const boundaries of [false, true]) {
        const chosen = await cards.routeOne(request.text, { k: flags.k, boundaries });
        (boundaries ? withThem : without).push(right(chosen.skill, request));
        if (chosen.degraded !== undefined) degraded += 1;
        if (boundaries) first.push(right(chosen.cards[0]?.skill, request));
      }
      bar.step(i + 1, dataset.requests.length);
    }
    bar.stop();
    const difference = withThem.map((value, i) => value - without[i]!);
    const [interval] = pairedBootstrap([difference], { resamples: 2_000, seed: 1 });
    const shares = { first: mean(first), without: mean(without), with: mean(withThem) };
    const result = { requests: first.length, shares, difference: interval!, degraded };
    if (flags.json) {
      console.log(JSON.stringify(result, undefined, 2));
      return;
    }
    const { difference: gain, low, high } = result.difference;
    console.log(
      `${result.requests} requests; right: first candidate ${shares.first.toFixed(3)}, ` +
        `cards without T⁻ ${shares.without.toFixed(3)}, with T⁻ ${shares.with.toFixed(3)}\n` +
        `with − without ${gain.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], ` +
        `${degraded} answers of the first candidate for want of another`,
    );
  } finally {
    bar.stop();
    await encoder.dispose();
  }
}

async function cardRouter(source: SkillRouter, cacheDir: string, flags: Flags) {
  const model = await openModel(flags);
  const pages = await openPages(flags.pages, cacheDir).load();
  const { timeout } = flags;
  return new CardRouter({
    source,
    model,
    pages,
    ...(timeout !== undefined && { timeout: 1_000 * timeout }),
  });
}
