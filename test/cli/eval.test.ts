import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { METHOD_NAMES } from '../../lib/eval/index.ts';
import { tinyReranker } from '../models/tiny-model.ts';
import { skillspan } from '../support/cli.ts';
import { parseMarkup } from '../support/markup.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';

let dataset: string;

const evaluate = (...args: string[]) => skillspan('eval', '--dataset', dataset, ...args);

beforeAll(async () => {
  dataset = join(await temporaryFolder(), 'small');
  const requests = [
    { id: 'r1', text: 'merge two pdf files', gold: ['skills/pdf'], split: 'one' },
    {
      id: 'r2',
      text: 'send a mail with a chart',
      gold: ['skills/mail', 'skills/chart'],
      split: 'two',
    },
    { id: 'r3', text: 'turn a table into a chart', gold: ['skills/chart'], split: 'one' },
  ];
  await writeTree(dataset, {
    'skills/pdf/SKILL.md': skillText('pdf', 'merge and split pdf files'),
    'skills/mail/SKILL.md': skillText('mail', 'write and send an email'),
    'skills/chart/SKILL.md': skillText('chart', 'draw a chart out of a table'),
    'requests.jsonl': requests.map((request) => `${JSON.stringify(request)}\n`).join(''),
  });
});

describe('skillspan eval', () => {
  it('prints every figure of every method as JSON', () => {
    const { status, stdout, stderr } = evaluate('--json', '--k', '2,1', '--sweep', 'lambda=0,1');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const result = JSON.parse(stdout);
    expect(Object.keys(result)).toEqual(['dataset', 'config', 'methods']);
    expect(result.dataset).toEqual({
      name: 'small',
      format: 'registry-folder',
      skills: 3,
      requests: 3,
      notes: [],
    });
    expect(result.config).toEqual({
      k: [1, 2],
      baseline: 'topk',
      resamples: 2000,
      seed: 1,
      encoder: expect.stringMatching(/^[0-9a-f]{64}$/),
      split: null,
      limit: null,
      sweeps: [{ parameter: 'lambda', values: [0, 1] }],
    });
    const names = [...METHOD_NAMES, 'dsr lambda=0', 'dsr lambda=1'];
    expect(Object.keys(result.methods)).toEqual(names);
    const metrics = [
      ...['Hit@1', 'MRR@1', 'R@1', 'FC@1', 'nDCG@1'],
      ...['MRR@2', 'R@2', 'FC@2', 'nDCG@2'],
    ];
    for (const name of names) {
      const { all, single, multi, latencyMs, redundancy, versusBaseline } = result.methods[name];
      for (const [figures, n] of [
        [all, 3],
        [single, 2],
        [multi, 1],
      ] as const) {
        expect(Object.keys(figures)).toEqual(['n', ...metrics]);
        expect(figures.n).toBe(n);
        for (const metric of metrics) expect(figures[metric]).toBeGreaterThanOrEqual(0);
      }
      expect(Object.keys(latencyMs)).toEqual(['encode', 'search', 'select']);
      expect(Object.keys(redundancy)).toEqual(['@1', '@2']);
      if (name !== 'topk') expect(Object.keys(versusBaseline.multi)).toEqual(metrics);
    }
    expect(result.methods.topk.versusBaseline).toBeUndefined();
    expect(result.methods.topk.latencyMs.encode).toMatchObject({ n: 3 });
    expect(result.methods.topk.single['FC@1']).toBe(1);
  });

  it('writes a report, prints tables, and takes a sample of a split', async () => {
    const file = join(dataset, 'report.html');
    const { status, stdout, stderr } = evaluate(
      ...['--split', 'one', '--limit', '1', '--seed', '2', '--k', '1,2'],
      ...['--methods', 'dsr, bm25', '--baseline', 'bm25', '--html', file],
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('3 skills, 1 requests, 1 of them single-skill and 0 multi-skill');
    expect(stdout).toMatch(/^bm25 +1\.000/m);
    expect(stdout).not.toContain('topk');
    const elements = parseMarkup(await readFile(file, 'utf8'));
    expect(elements.find(({ name }) => name === 'h1')!.text).toBe('small');
  });

  it('works, and says so, where embeddings cannot be kept', async () => {
    const cache = join(dataset, 'requests.jsonl');
    const { status, stdout, stderr } = evaluate('--methods', 'topk', '--cache', cache);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^topk +1\.000/m);
    expect(stderr.split('\n').filter((line) => line.includes(cache)).length).toBe(2);
  });

  it('prints its figures even where the report cannot be written', () => {
    const file = join(dataset, 'nowhere/report.html');
    const { status, stdout, stderr } = evaluate('--methods', 'topk', '--html', file);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^topk +1\.000/m);
    expect(stderr).toMatch(/^skillspan: html: expected a file that can be written, got ENOENT/);
  });

  it.each([
    ['a folder that is not there', ['--dataset', '/nowhere'], 'ERR_DATASET_NOT_FOUND'],
    ['an unknown method', ['--methods', 'magic'], 'ERR_INVALID_ARGUMENT'],
    ['an unknown split', ['--split', 'three'], 'ERR_INVALID_ARGUMENT'],
    ['k = 0', ['--k', '0'], 'ERR_OUT_OF_RANGE'],
    ['a limit of 0', ['--limit', '0'], 'ERR_OUT_OF_RANGE'],
    ['an unknown parameter', ['--sweep', 'depth=1'], 'ERR_INVALID_ARGUMENT'],
  ])('fails in one line on %s', (_, args, code) => {
    const { status, stdout, stderr } = evaluate(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^skillspan: .+ \\[${code}\\]\n$`));
  });

  it('compares what is indexed of a skill', () => {
    const args = ['--index-view', '+T+,full+T-,doc2query'];
    const { status, stdout, stderr } = evaluate(...args, '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const results = JSON.parse(stdout);
    const names = results.map((r: Record<string, string>) => `${r.retriever} ${r.view}`);
    expect(names).toEqual(
      ['bm25', 'tfidf', 'topk'].flatMap((retriever) =>
        ['raw', '+T+', 'full+T-', 'doc2query'].map((view) => `${retriever} ${view}`),
      ),
    );
    expect(results[0]).toMatchObject({ 'Hit@1': 1, 'R@10': 1 });
    expect(results[1].first).toEqual({ preserved: 1, gained: 0, lost: 0 });
    const lines = evaluate(...args).stdout.split('\n');
    expect(lines[1]).toMatch(/^retriever +view +Hit@1 +R@10 +nDCG@10 +ρ +new +lost +net$/);
    expect(lines.length).toBe(2 + 12 + 1);
    expect(evaluate('--index-view', 'best').stderr).toContain('[ERR_INVALID_ARGUMENT]');
  });
});

describe('skillspan eval with a reranker', () => {
  it('ranks and chooses with a reranker', async () => {
    const reranker = await tinyReranker();
    const { status, stdout, stderr } = evaluate(
      ...['--json', '--k', '1', '--methods', 'topk', '--reranker', reranker],
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const { methods } = JSON.parse(stdout);
    expect(Object.keys(methods)).toEqual(['topk', 'rerank', 'dpp-cosine-rerank', 'dsr-rerank']);
    // The first pick of each is the skill of highest logit.
    const [first, ...others] = Object.keys(methods)
      .slice(1)
      .map((name) => methods[name].all['Hit@1']);
    expect(others).toEqual([first, first]);
    const half = evaluate('--llm', 'some-model');
    expect([half.status, half.stderr]).toEqual([1, expect.stringContaining('--base-url')]);
  });
});
