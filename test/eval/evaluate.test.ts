import { describe, expect, it } from 'vitest';
import { evaluate, METHOD_NAMES, type Method, makeMethods } from '../../lib/eval/index.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';
import { openBench, tinyDataset } from './bench.ts';

/** A method that answers from a table. */
function fixed(name: string, answers: Record<string, string[]>, dependsOnK = false): Method {
  return {
    name,
    dependsOnK,
    rank: async (request, k) => ({
      ids: (answers[request] ?? []).slice(0, k),
      milliseconds: { search: k },
    }),
  };
}

const requests = [
  { id: 'r1', text: 'r1', gold: ['mail'] },
  { id: 'r2', text: 'r2', gold: ['pdf-read', 'mail'] },
  { id: 'r3', text: 'r3', gold: ['sheet', 'chart'] },
  { id: 'r4', text: 'r4', gold: ['sheet', 'mail'] },
];
const dataset = tinyDataset(requests);
const perfect = fixed('perfect', Object.fromEntries(requests.map((r) => [r.text, r.gold])));
const half = fixed('half', {
  r1: ['chart', 'mail'],
  r2: ['pdf-read', 'mail'],
  r3: ['sheet', 'pdf-ocr'],
});
const options = { ks: [2, 1], baseline: 'half', resamples: 200 };

describe('an evaluation', () => {
  it('sums up every metric over all, single-skill and multi-skill requests', async () => {
    const bench = await openBench(dataset);
    const {
      dataset: described,
      config,
      methods,
    } = await evaluate(dataset, bench, [half, perfect], options);
    expect(described).toEqual({ name: 'tiny', format: 'test', skills: 6, requests: 4, notes: [] });
    expect(config).toEqual({
      k: [1, 2],
      baseline: 'half',
      resamples: 200,
      seed: 1,
      encoder: bench.encoder.fingerprint,
    });
    expect(methods.half!.all).toMatchObject({
      n: 4,
      'Hit@1': 0.5,
      'FC@1': 0,
      'FC@2': 0.5,
      'R@2': 0.625,
    });
    expect(methods.half!.single).toMatchObject({ n: 1, 'Hit@1': 0, 'MRR@2': 0.5, 'FC@2': 1 });
    expect(methods.half!.multi).toMatchObject({
      n: 3,
      'Hit@1': 2 / 3,
      'FC@2': 1 / 3,
      'R@1': 1 / 3,
    });
    expect(methods.perfect!.all).toMatchObject({
      'Hit@1': 1,
      'FC@1': 0.25,
      'FC@2': 1,
      'nDCG@2': 1,
    });
  });

  it('compares with the baseline, and not the baseline with itself', async () => {
    const bench = await openBench(dataset);
    const { methods } = await evaluate(dataset, bench, [half, perfect], options);
    expect(methods.half!.versusBaseline).toBeUndefined();
    const { all, single } = methods.perfect!.versusBaseline!;
    expect(all['FC@2']!.difference).toBe(0.5);
    expect(all['FC@2']!.low).toBe(0);
    expect(all['FC@2']!.high).toBeGreaterThan(0.7);
    expect(single['FC@2']).toEqual({ difference: 0, low: 0, high: 0 });
    expect(Object.keys(all)).toEqual(Object.keys(methods.half!.all).slice(1));
  });

  it('has no metric, and no interval, where there is no request', async () => {
    const multi = tinyDataset(requests.slice(1));
    const { methods } = await evaluate(multi, await openBench(multi), [half, perfect], options);
    expect(methods.perfect!.single).toEqual({ n: 0 });
    expect(methods.perfect!.versusBaseline!.single).toEqual({});
  });

  it('runs a method that depends on k once for every k, others once', async () => {
    const asked: string[] = [];
    const watched = (name: string, dependsOnK: boolean): Method => ({
      name,
      dependsOnK,
      rank: async (_, k) => {
        asked.push(`${name} ${k}`);
        return { ids: [k === 1 ? 'chart' : 'sheet'], milliseconds: {} };
      },
    });
    const one = tinyDataset([{ id: 'r', text: 'r', gold: ['chart'] }]);
    const methods = [watched('set', true), watched('list', false)];
    const result = await evaluate(one, await openBench(one), methods, {
      ks: [1, 2],
      baseline: 'list',
    });
    expect(asked).toEqual(['set 1', 'set 2', 'list 2']);
    expect(result.methods.set!.all).toMatchObject({ 'R@1': 1, 'R@2': 0, 'Hit@1': 0 });
    expect(result.methods.list!.all).toMatchObject({ 'R@1': 0, 'R@2': 0 });
  });

  it('measures the stages at the largest k, and the overlap within shortlists', async () => {
    const bench = await openBench(dataset);
    const copies = fixed('copies', { r1: ['pdf-read', 'pdf-read-copy'] }, true);
    const { methods } = await evaluate(dataset, bench, [half, copies], options);
    expect(methods.half!.latencyMs).toEqual({
      encode: null,
      search: { n: 4, median: 2, p95: 2 },
      select: null,
    });
    expect(methods.copies!.redundancy['@1']).toBeNull();
    expect(methods.copies!.redundancy['@2']).toBeCloseTo(1, 6);
  });

  it('keeps wins and losses with both rankings', async () => {
    const bench = await openBench(dataset);
    const worse = fixed('worse', { r1: ['mail'] });
    const { examples } = await evaluate(dataset, bench, [half, perfect, worse], options);
    expect(
      examples.map(({ method, outcome, request, k }) => [method, outcome, request.id, k]),
    ).toEqual([
      ['worse', 'loss', 'r2', 2],
      ['perfect', 'win', 'r3', 2],
      ['perfect', 'win', 'r4', 2],
    ]);
    expect(examples[1]!.ranking.ids).toEqual(['sheet', 'chart']);
    expect(examples[1]!.baseline.ids).toEqual(['sheet', 'pdf-ocr']);
  });

  it.each([
    ['no k', { ks: [] }, 'k: expected at least one number, got none'],
    ['k = 0', { ks: [0] }, 'k: expected a whole number from 1 to 1000000, got 0'],
    [
      'a baseline that is no method',
      { baseline: 'x' },
      'baseline: expected one of the methods, half, perfect, got "x"',
    ],
    [
      'no resamples',
      { resamples: 0 },
      'resamples: expected a whole number from 1 to 1000000, got 0',
    ],
  ])('refuses %s', async (_, wrong, message) => {
    const bench = await openBench(dataset);
    await expect(
      evaluate(dataset, bench, [half, perfect], { ...options, ...wrong }),
    ).rejects.toThrow(message);
  });

  it.each([
    [
      'ranks a skill twice',
      ['mail', 'mail'],
      'wrong: expected at most 2 skills, each once, got mail, mail',
    ],
    ['ranks too many', ['mail', 'sheet', 'chart'], 'got mail, sheet, chart'],
    ['ranks an unknown one', ['x'], 'got x'],
  ])('refuses a method that %s', async (_, ids, message) => {
    const wrong: Method = {
      name: 'wrong',
      dependsOnK: false,
      rank: async () => ({ ids, milliseconds: {} }),
    };
    const bench = await openBench(dataset);
    await expect(evaluate(dataset, bench, [half, wrong], options)).rejects.toThrow(message);
  });

  it('refuses two methods of one name', async () => {
    const bench = await openBench(dataset);
    await expect(evaluate(dataset, bench, [half, half], options)).rejects.toThrow(
      'methods: expected each method once, got "half"',
    );
  });
});

describe('all methods of the package over a tiny dataset', () => {
  const tiny = tinyDataset();
  const all = { ks: [1, 2, 5], baseline: 'topk', resamples: 200 };

  async function run(encoder: WordEncoder, cacheDir: string) {
    const bench = await openBench(tiny, { encoder, cacheDir });
    const result = await evaluate(tiny, bench, makeMethods(bench, METHOD_NAMES), all);
    await bench.encoder.save();
    return result;
  }

  it('find what shares words, and embed nothing the second time', async () => {
    const cacheDir = await temporaryFolder();
    const encoder = new WordEncoder();
    const first = await run(encoder, cacheDir);
    for (const [name, { all }] of Object.entries(first.methods)) {
      expect(all['FC@5'], name).toBeGreaterThan(0.6);
      expect(all['Hit@1'], name).toBeGreaterThan(0.6);
    }
    // Six skills and three requests, whichever methods met them; the router may embed more of its own.
    expect(new Set(encoder.encoded).size).toBe(encoder.encoded.length);
    expect(first.methods.topk!.latencyMs.encode!.n).toBe(3);
    expect(first.methods.bm25!.latencyMs.encode).toBeNull();

    const again = new WordEncoder();
    const second = await run(again, cacheDir);
    expect(again.encoded).toEqual([]);
    expect(second.methods.topk!.latencyMs.encode).toBeNull();
    for (const name of METHOD_NAMES) {
      const { latencyMs: _, ...figures } = second.methods[name]!;
      expect(first.methods[name]).toMatchObject(figures);
    }
  });
});
