import { describe, expect, it } from 'vitest';
import {
  type Dataset,
  type Evaluation,
  evaluate,
  type Method,
  makeMethods,
  parseSweep,
  renderHtml,
  renderText,
  sweepMethods,
} from '../../lib/eval/index.ts';
import { parseMarkup } from '../support/markup.ts';
import { openBench, tinyDataset } from './bench.ts';

const sweeps = [parseSweep('lambda=0,0.5,1'), parseSweep('sharpness=0,20')];

async function tinyEvaluation(dataset: Dataset, others: Method[] = []): Promise<Evaluation> {
  const bench = await openBench(dataset);
  const methods = [
    ...makeMethods(bench, ['topk', 'bm25', 'dsr']),
    ...sweeps.flatMap((sweep) => sweepMethods(bench, sweep)),
    ...others,
  ];
  return evaluate(dataset, bench, methods, { ks: [1, 2], baseline: 'topk', resamples: 100 });
}

describe('the HTML report', () => {
  it('has charts, tables and examples, and needs nothing from outside', async () => {
    const dataset = tinyDataset();
    const evaluation = await tinyEvaluation(dataset);
    const page = renderHtml(evaluation, { skills: dataset.skills, sweeps });
    const elements = parseMarkup(page);
    const texts = (name: string) => elements.filter((e) => e.name === name).map(({ text }) => text);
    expect(texts('h1')).toEqual(['tiny']);
    expect(texts('figcaption')).toEqual([
      'FC@k by k, all',
      'FC@k by k, single',
      'FC@k by k, multi',
      'FC@k by lambda, multi',
      'FC@k by sharpness, multi',
    ]);
    // One line a method, but none for the values of a sweep, which have charts of their own.
    expect(elements.filter(({ name }) => name === 'polyline').length).toBe(3 * 3 + 2 * 2);
    expect(texts('th')).toEqual(expect.arrayContaining(['FC@2', 'dsr lambda=0.5', 'encode, ms']));
    expect(page).not.toMatch(/<script|<img|<link|\bsrc=|\bhref=|url\(|@import|https?:|\bon\w+=/);
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/NaN|undefined|\[object/);
  });

  it('escapes texts of skills and requests', async () => {
    const hostile = `</blockquote><script>alert("x")</script>&<b onclick='y'>\u0007`;
    const base = tinyDataset([{ id: hostile, text: `mail ${hostile}`, gold: [hostile] }]);
    const description = `${hostile} "quoted"`;
    const skill = { ...base.skills[0]!, id: hostile, name: hostile, description };
    const dataset = { ...base, name: hostile, notes: [hostile], skills: [...base.skills, skill] };
    const other: Method = {
      name: `<i>${hostile}`,
      dependsOnK: false,
      rank: async () => ({
        ids: [hostile, 'mail'],
        milliseconds: {},
        trace: { facets: [hostile], skills: [{ id: hostile, quality: 0.5, step: 1, gain: -1.25 }] },
      }),
    };
    const evaluation = await tinyEvaluation(dataset, [other]);
    const win = { ...evaluation.examples[0], method: other.name, outcome: 'win', k: 2 } as const;
    const example = {
      ...win,
      request: dataset.requests[0]!,
      ranking: await other.rank('', 2),
      baseline: { ids: ['mail'], milliseconds: {} },
    };
    const page = renderHtml(
      { ...evaluation, examples: [example] },
      { skills: dataset.skills, sweeps },
    );

    const elements = parseMarkup(page);
    expect(elements.some(({ name }) => name === 'script' || name === 'i')).toBe(false);
    expect(elements.some(({ attributes }) => 'onclick' in attributes)).toBe(false);
    const shown = hostile.replace('\u0007', '\uFFFD');
    const textOf = (name: string) => elements.find((e) => e.name === name)!.text;
    expect(textOf('h1')).toBe(shown);
    expect(textOf('blockquote')).toBe(`mail ${shown}`);
    expect(textOf('ol')).toBe('');
    expect(elements.filter(({ name }) => name === 'li').map(({ text }) => text)).toContain(shown);
    const row = elements.find(({ attributes }) => attributes.class === 'gold')!;
    const cells = elements.slice(elements.indexOf(row) + 1).slice(0, 6);
    expect(cells.map(({ text }) => text)).toEqual(['1', shown, '', '0.500', '1', '-1.250']);
    expect(cells[1]!.attributes.title).toBe(`${shown}: ${shown} "quoted"`);
  });

  it('cuts long requests between characters', async () => {
    const dataset = tinyDataset([{ id: 'long', text: '🗂️ files '.repeat(500), gold: ['mail'] }]);
    const evaluation = await tinyEvaluation(dataset);
    const example = {
      method: 'dsr',
      outcome: 'loss' as const,
      k: 2,
      request: dataset.requests[0]!,
      ranking: { ids: [], milliseconds: {} },
      baseline: { ids: [], milliseconds: {} },
    };
    const page = renderHtml(
      { ...evaluation, examples: [example] },
      { skills: dataset.skills, sweeps: [] },
    );
    const quote = parseMarkup(page).find(({ name }) => name === 'blockquote')!.text;
    expect(quote.endsWith(' …')).toBe(true);
    expect([...quote].length).toBe(1_202);
    expect(quote).not.toMatch(/\p{Surrogate}/u);
  });
});

describe('the report for a terminal', () => {
  it('says what was measured, and has a row for every method', async () => {
    const dataset = { ...tinyDataset(), notes: ['2 tasks left out'] };
    const lines = renderText(await tinyEvaluation(dataset)).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      'tiny (test): 6 skills, 3 requests, 1 of them single-skill and 2 multi-skill',
      '2 tasks left out',
    ]);
    expect(lines[3]).toMatch(/^all, n = 3 +Hit@1 +FC@1 +FC@2 +R@1 +R@2 +MRR@2 +nDCG@2$/);
    expect(lines.filter((line) => /^dsr lambda=0\.5 /.test(line)).length).toBe(4);
    expect(lines).toContain('* differs from topk (95 %, paired bootstrap, 100 resamples)');
  });
});
