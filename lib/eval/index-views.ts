import { unexpected } from '../errors.ts';
import { type CorpusStatistics, termsOf } from '../pages/corpus-statistics.ts';
import type { Page } from '../pages/page.ts';
import { pagedIndexView, type ViewOrder, type ViewParts } from '../pages/views.ts';
import { indexView } from '../registry/index-view.ts';
import type { Skill } from '../registry/registry.ts';
import { tellingTerms } from '../stop-words.ts';
import { type Interval, pairedBootstrap } from './bootstrap.ts';
import type { EvalRequest } from './datasets/dataset.ts';
import type { Method } from './methods/method.ts';
import { hitAt1, ndcg, recall } from './metrics.ts';
import { mean } from './statistics.ts';

/** What is indexed of a skill. `full+T-` is the ablation; `doc2query` a baseline without pages. */
export const INDEX_VIEWS = ['raw', '+T+', '+B', 'full', 'full+T-', 'doc2query'] as const;
export type IndexViewName = (typeof INDEX_VIEWS)[number];

const PARTS: Partial<Record<IndexViewName, ViewParts>> = {
  '+T+': { positiveTrigger: true, body: false },
  '+B': { positiveTrigger: false, body: true },
  full: { positiveTrigger: true, body: true },
  'full+T-': { positiveTrigger: true, body: true, negativeBoundary: true },
};

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for an unknown name. */
export function checkIndexViews(names: readonly string[]): IndexViewName[] {
  for (const name of names) {
    if ((INDEX_VIEWS as readonly string[]).includes(name)) continue;
    const expected = `one of ${INDEX_VIEWS.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'index-view', expected, name);
  }
  return [...new Set(names)] as IndexViewName[];
}

/** Terms that `doc2query` adds to a document. */
const EXPANSION = 15;

export interface ViewSources {
  readonly pages: ReadonlyMap<string, Page>;
  readonly statistics: CorpusStatistics;
  readonly order: ViewOrder;
}

/** The function that makes this view's text of a skill. */
export function viewOf(
  name: IndexViewName,
  { pages, statistics, order }: ViewSources,
): (skill: Skill) => string {
  if (name === 'raw') return indexView;
  if (name === 'doc2query')
    return (skill) => `${indexView(skill)} | ${expansion(skill, statistics)}`;
  const parts = PARTS[name]!;
  return (skill) => pagedIndexView(skill, pages.get(skill.id), { parts, order });
}

/**
 * In the manner of doc2query (Nogueira, Lin and others 2019): the document with what somebody might ask for it
 * by. Without a model that writes queries these are its terms of highest tf · idf.
 */
function expansion(skill: Skill, statistics: CorpusStatistics): string {
  const counts = new Map<string, number>();
  for (const term of termsOf(skill)) counts.set(term, (counts.get(term) ?? 0) + 1);
  const weight = (term: string) => Math.log(1 + counts.get(term)!) * statistics.idf(term);
  return tellingTerms(counts.keys())
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, EXPANSION)
    .join(' ');
}

/** One retriever over one view against the same over the raw text. */
export interface ViewResult {
  readonly retriever: string;
  readonly view: string;
  readonly 'Hit@1': number;
  readonly 'R@10': number;
  readonly 'nDCG@10': number;
  /** This view minus raw with 95 % intervals, by metric; undefined for raw itself. */
  readonly versusRaw: Readonly<Record<string, Interval>> | undefined;
  /** What became of the first places; undefined for raw itself. */
  readonly first: FirstPlaces | undefined;
}

export interface FirstPlaces {
  /** ρ: share of raw's hits in the first place that are hits still; undefined where raw has none. */
  readonly preserved: number | undefined;
  /** Requests whose first place has become a hit, and has ceased to be one. */
  readonly gained: number;
  readonly lost: number;
}

const METRICS = ['Hit@1', 'R@10', 'nDCG@10'] as const;

/**
 * Asks one retriever over several views every request.
 * @param views the method over each view, `raw` first.
 */
export async function compareViews(
  retriever: string,
  views: readonly (readonly [name: string, method: Method])[],
  requests: readonly EvalRequest[],
  seed: number,
  onRequest: () => void,
): Promise<ViewResult[]> {
  const columns = views.map(() => METRICS.map((): number[] => []));
  for (const request of requests) {
    for (const [v, [, method]] of views.entries()) {
      const { ids } = await method.rank(request.text, 10);
      const scores = [hitAt1(ids, request), recall(ids, request, 10), ndcg(ids, request, 10)];
      for (const [m, score] of scores.entries()) columns[v]![m]!.push(score);
    }
    onRequest();
  }
  const raw = columns[0]!;
  return views.map(([view], v) => {
    const own = columns[v]!;
    const means = METRICS.map((name, m) => [name, mean(own[m]!)] as const);
    const differences = own.map((column, m) => column.map((value, i) => value - raw[m]![i]!));
    const intervals = v === 0 ? [] : pairedBootstrap(differences, { resamples: 2_000, seed });
    return {
      retriever,
      view,
      ...(Object.fromEntries(means) as Record<(typeof METRICS)[number], number>),
      versusRaw:
        v === 0
          ? undefined
          : Object.fromEntries(METRICS.map((name, m) => [name, intervals[m]!] as const)),
      first: v === 0 ? undefined : firstPlaces(raw[0]!, own[0]!),
    };
  });
}

/** @param before, after 1 for a hit in the first place, else 0; a request each. */
export function firstPlaces(before: readonly number[], after: readonly number[]): FirstPlaces {
  const hits = before.filter((hit) => hit === 1).length;
  const lost = before.filter((hit, i) => hit === 1 && after[i] === 0).length;
  const gained = before.filter((hit, i) => hit === 0 && after[i] === 1).length;
  return { preserved: hits === 0 ? undefined : (hits - lost) / hits, gained, lost };
}
