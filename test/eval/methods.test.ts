import { beforeAll, describe, expect, it } from 'vitest';
import {
  METHOD_NAMES,
  makeMethods,
  parseSweep,
  sweepMethods,
  type Workbench,
} from '../../lib/eval/index.ts';
import { openBench, tinyDataset } from './bench.ts';

const dataset = tinyDataset();
let bench: Workbench;

beforeAll(async () => {
  bench = await openBench(dataset);
});

const rank = (name: string, request: string, k: number) =>
  makeMethods(bench, [name])[0]!.rank(request, k);

describe('every method', () => {
  it.each(METHOD_NAMES)(
    '%s ranks known skills, each once and at most k, with a trace',
    async (name) => {
      for (const k of [1, 3, 20]) {
        const { ids, trace, milliseconds } = await rank(name, 'send an email message', k);
        expect(ids[0]).toBe('mail');
        expect(ids.length).toBeLessThanOrEqual(Math.min(k, 6));
        expect(new Set(ids).size).toBe(ids.length);
        expect(trace!.skills.map(({ id }) => id)).toEqual(ids);
        for (const time of Object.values(milliseconds)) expect(time).toBeGreaterThanOrEqual(0);
      }
    },
  );

  it('whose ranking does not depend on k begins the longer with the shorter', async () => {
    for (const method of makeMethods(bench, METHOD_NAMES).filter((m) => !m.dependsOnK)) {
      const text = 'extract text from pdf files, send an email';
      const { ids } = await method.rank(text, 6);
      expect((await method.rank(text, 2)).ids).toEqual(ids.slice(0, 2));
    }
  });

  it('has a name that is known', () => {
    expect(() => makeMethods(bench, ['constructor'])).toThrow(
      `methods: expected one of ${METHOD_NAMES.join(', ')}, got "constructor"`,
    );
  });
});

describe('single methods', () => {
  it('xquad serves one facet after the other, and tells which there are', async () => {
    const text = 'Extract the text from these pdf files. Then write and send an email message.';
    const { ids, trace } = await rank('xquad', text, 2);
    expect(ids).toEqual(expect.arrayContaining(['mail']));
    expect(ids.filter((id) => id.startsWith('pdf-')).length).toBe(1);
    expect(trace!.facets!.length).toBe(2);
  });

  it('topk shows both copies, dsr one of them, with step, quality and gain', async () => {
    const text = 'extract text from pdf files and send an email message';
    expect((await rank('topk', text, 2)).ids).toEqual(['pdf-read', 'pdf-read-copy']);
    const { ids, trace } = await rank('dsr', text, 3);
    expect(ids).toEqual(expect.arrayContaining(['pdf-read', 'mail']));
    expect(ids).not.toContain('pdf-read-copy');
    expect(trace!.skills[0]).toMatchObject({ quality: 1, step: 1, gain: 0 });
  });

  it('skillspan is what the router answers', async () => {
    const text = 'spreadsheet table; then a chart of numbers';
    const { skills } = await (await bench.router()).route(text, { k: 3 });
    expect((await rank('skillspan', text, 3)).ids).toEqual(skills.map(({ id }) => id));
  });

  it('bm25 and tfidf find only skills that share a word', async () => {
    for (const name of ['bm25', 'tfidf']) {
      expect((await rank(name, 'formulas', 5)).ids).toEqual(['sheet']);
      expect((await rank(name, 'quux', 5)).ids).toEqual([]);
    }
  });

  it('bm25 finds the last of very many skills', async () => {
    const [first] = dataset.skills;
    const skills = Array.from({ length: 4_200 }, (_, i) => ({
      ...first!,
      id: `s${i}`,
      name: `n${i}`,
    }));
    const [bm25] = makeMethods(await openBench({ ...dataset, skills }), ['bm25']);
    for (const i of [0, 4_095, 4_096, 4_199]) {
      expect((await bm25!.rank(`n${i}`, 1)).ids).toEqual([`s${i}`]);
    }
  });

  it('rrf adds 1 / (60 + rank) over dense search and BM25', async () => {
    const text = 'text of a message';
    const dense = (await rank('topk', text, 6)).ids;
    const words = (await rank('bm25', text, 6)).ids;
    const { trace } = await rank('rrf', text, 6);
    const part = (list: readonly string[], id: string) =>
      list.includes(id) ? 1 / (61 + list.indexOf(id)) : 0;
    for (const { id, score } of trace!.skills) {
      expect(score).toBeCloseTo(part(dense, id) + part(words, id), 12);
    }
    const scores = trace!.skills.map(({ score }) => score!);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });
});

describe('sweeps', () => {
  it('are dsr at other values, which its defaults equal', async () => {
    const text = 'extract text from pdf files, send an email';
    const { ids } = await rank('dsr', text, 3);
    for (const spec of ['lambda=0.85', 'sharpness=20']) {
      const [method] = sweepMethods(bench, parseSweep(spec));
      expect(method!.name).toBe(`dsr ${spec}`);
      expect((await method!.rank(text, 3)).ids).toEqual(ids);
    }
    const [sharp] = sweepMethods(bench, parseSweep('sharpness=1000000'));
    expect((await sharp!.rank(text, 3)).ids).toEqual((await rank('topk', text, 3)).ids);
  });

  it.each([
    ['lambda=0, 0.5,0.5', [0, 0.5]],
    ['sharpness=0,1e3', [0, 1000]],
  ])('%s', (text, values) => {
    expect(parseSweep(text).values).toEqual(values);
  });

  it.each([
    ['depth=1', 'sweep: expected lambda=… or sharpness=…, numbers parted by commas, got "depth=1"'],
    ['lambda', 'sweep: expected lambda=… or sharpness=…, numbers parted by commas, got "lambda"'],
    ['lambda=0,2', 'lambda: expected a number from 0 to 1, got 2'],
    ['lambda=0,', 'lambda: expected a number from 0 to 1, got NaN'],
  ])('%s is refused', (text, message) => {
    expect(() => parseSweep(text)).toThrow(message);
  });
});
