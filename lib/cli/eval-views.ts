import type { Dataset } from '../eval/datasets/dataset.ts';
import {
  compareViews,
  type IndexViewName,
  type ViewResult,
  type ViewSources,
  viewOf,
} from '../eval/index-views.ts';
import { makeMethods } from '../eval/methods/index.ts';
import type { Workbench } from '../eval/workbench.ts';
import { CorpusStatistics } from '../pages/corpus-statistics.ts';
import { findNeighbourhoods } from '../pages/neighbourhoods.ts';
import type { Page } from '../pages/page.ts';
import { PageFile } from '../pages/page-file.ts';
import { extractivePages, unitsOf } from '../pages/units.ts';
import type { ViewOrder } from '../pages/views.ts';
import type { Progress } from '../routing/types.ts';
import { progressBar } from './progress.ts';

/** What is asked over every view; words need no vectors of it. */
const RETRIEVERS = ['bm25', 'tfidf', 'topk'] as const;

export interface ViewFlags {
  pages?: string;
  viewOrder: ViewOrder;
  seed: number;
  json?: boolean;
}

/** Every retriever over every view, raw among them, compared with raw. */
export async function evaluateViews(
  dataset: Dataset,
  bench: Workbench,
  names: readonly IndexViewName[],
  flags: ViewFlags,
  onProgress: Progress,
): Promise<ViewResult[]> {
  const views = [...new Set<IndexViewName>(['raw', ...names])];
  const sources = await viewSources(bench, flags);
  const benches: [name: IndexViewName, bench: Workbench][] = [];
  for (const name of views) {
    const bar = progressBar(`embedding ${name}`);
    const of = () => bench.withView(`${name} ${flags.viewOrder}`, viewOf(name, sources), bar.step);
    benches.push([name, name === 'raw' ? bench : await of().finally(bar.stop)]);
  }
  let done = 0;
  const total = RETRIEVERS.length * dataset.requests.length;
  const results: ViewResult[] = [];
  for (const retriever of RETRIEVERS) {
    const methods = benches.map(
      ([name, own]) => [name, makeMethods(own, [retriever])[0]!] as const,
    );
    const onRequest = () => onProgress(++done, total);
    const { requests } = dataset;
    results.push(...(await compareViews(retriever, methods, requests, flags.seed, onRequest)));
  }
  return results;
}

/** The pages of a file; without one, extractive pages of the dataset's own neighbourhoods. */
async function viewSources(
  { skills, vectors, index }: Workbench,
  { pages: path, viewOrder: order }: ViewFlags,
): Promise<ViewSources> {
  const statistics = await CorpusStatistics.of(skills);
  if (path !== undefined) return { pages: await new PageFile(path).load(), statistics, order };
  const found = await findNeighbourhoods(vectors, { dim: index.dim });
  const pages = new Map<string, Page>();
  for (const unit of unitsOf(skills, found)) {
    for (const page of extractivePages(unit, statistics)) pages.set(page.skill, page);
  }
  return { pages, statistics, order };
}

/** The paper's table: figures, differences from raw, and what became of the first places. */
export function renderViews(dataset: Dataset, results: readonly ViewResult[]): string {
  const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`;
  const rows = results.map((result) => {
    const { retriever, view, versusRaw, first } = result;
    const figure = (metric: 'Hit@1' | 'R@10' | 'nDCG@10') => {
      const interval = versusRaw?.[metric];
      const value = result[metric].toFixed(4);
      if (!interval) return value;
      const { difference, low, high } = interval;
      return `${value} ${signed(difference)} [${signed(low)}, ${signed(high)}]`;
    };
    return [
      retriever,
      view,
      figure('Hit@1'),
      figure('R@10'),
      figure('nDCG@10'),
      first?.preserved === undefined ? '–' : first.preserved.toFixed(4),
      first ? `${first.gained}` : '–',
      first ? `${first.lost}` : '–',
      first ? `${first.gained - first.lost}` : '–',
    ];
  });
  const head = ['retriever', 'view', 'Hit@1', 'R@10', 'nDCG@10', 'ρ', 'new', 'lost', 'net'];
  const table = [head, ...rows];
  const widths = head.map((_, c) => Math.max(...table.map((row) => row[c]!.length)));
  return [
    `${dataset.name}: ${dataset.skills.length} skills, ${dataset.requests.length} requests; ` +
      'differences from raw with 95 % intervals (paired bootstrap)',
    ...table.map((row) =>
      row
        .map((cell, c) => cell.padEnd(widths[c]!))
        .join('  ')
        .trimEnd(),
    ),
  ].join('\n');
}
