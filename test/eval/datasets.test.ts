import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { readDataset } from '../../lib/eval/index.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

const lines = (...records: unknown[]) => records.map((r) => `${JSON.stringify(r)}\n`).join('');
const skill = (id: string, more = {}) => ({
  skill_id: id,
  name: `name of ${id}`,
  description: `description of ${id}`,
  body: `body of ${id}`,
  ...more,
});

describe('a dataset in JSON Lines', () => {
  const corpus = lines(skill('a'), skill('b'), skill('c', { body: null, field: 'ignored' }));
  const queries = lines(
    { query_id: 'q1', text: 'do a', gold: ['a'], split: 'one' },
    { query_id: 'q2', text: 'do a\u2028and b', gold: ['b', 'a', 'b'], split: 'two' },
  );
  const write = (files: Record<string, string>) =>
    writeTree(folder, { 'corpus.jsonl': corpus, 'queries.jsonl': queries, ...files });

  it('is read whole, without repetitions in the gold', async () => {
    await write({});
    const dataset = await readDataset(folder);
    expect(dataset).toMatchObject({ name: basename(folder), format: 'json-lines', notes: [] });
    expect(dataset.skills[0]).toMatchObject({
      id: 'a',
      name: 'name of a',
      description: 'description of a',
      body: 'body of a',
      path: join(folder, 'corpus.jsonl'),
      metadata: {},
    });
    expect(dataset.skills[2]!.body).toBe('');
    expect(dataset.requests).toEqual([
      { id: 'q1', text: 'do a', gold: ['a'] },
      { id: 'q2', text: 'do a\u2028and b', gold: ['b', 'a'] },
    ]);
  });

  it('gives one split of its requests', async () => {
    await write({});
    expect((await readDataset(folder, { split: 'two' })).requests.map(({ id }) => id)).toEqual([
      'q2',
    ]);
    await expect(readDataset(folder, { split: 'three' })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: 'split: expected one of one, two, got "three"',
    });
  });

  it('may have a byte order mark, CRLF, blank lines and no last line feed', async () => {
    const untidy = `\uFEFF${queries.trimEnd().replaceAll('\n', '\r\n\r\n')}`;
    await write({ 'queries.jsonl': untidy });
    expect((await readDataset(folder)).requests.length).toBe(2);
  });

  it.each([
    [
      'a line that is no JSON',
      'queries.jsonl',
      `${queries}{"query_id": \n`,
      ':3: expected JSON, got ',
    ],
    [
      'a line that is no object',
      'corpus.jsonl',
      '[1, 2]\n',
      ':1: expected a JSON object, got an array of 2',
    ],
    [
      'a missing id',
      'corpus.jsonl',
      lines({ name: 'x' }),
      ':1 skill_id: expected a string that is not blank, got none',
    ],
    [
      'a name that is no text',
      'corpus.jsonl',
      lines(skill('a', { name: 5 })),
      ':1 name: expected a string, got 5',
    ],
    [
      'an id that comes twice',
      'corpus.jsonl',
      lines(skill('a'), skill('b'), skill('a')),
      ':3 skill_id: expected an id of its own, got "a", which FOLDER/corpus.jsonl:1 has',
    ],
    [
      'a request without text',
      'queries.jsonl',
      lines({ query_id: 'q', text: ' ', gold: ['a'] }),
      ':1 text: expected a string that is not blank, got " "',
    ],
    [
      'a request without gold',
      'queries.jsonl',
      lines({ query_id: 'q', text: 'x' }),
      ':1 gold: expected at least one id, got none',
    ],
    [
      'gold that is no list',
      'queries.jsonl',
      lines({ query_id: 'q', text: 'x', gold: 'a' }),
      ':1 gold: expected an array of strings, got "a"',
    ],
    [
      'unknown gold ids',
      'queries.jsonl',
      lines({ query_id: 'q', text: 'x', gold: ['a', 'y', 'z'] }),
      ':1 gold: expected ids of the corpus, got "y", "z"',
    ],
  ])('is refused for %s, with its place', async (_, file, text, message) => {
    await write({ [file]: text });
    const error = await readDataset(folder).catch((error) => error);
    expect(error).toMatchObject({ code: 'ERR_DATASET_INVALID' });
    const expected = `${join(folder, file)}${message.replace('FOLDER', folder)}`;
    expect(error.message.slice(0, expected.length)).toBe(expected);
  });

  it('is refused for bytes that are no UTF-8, and where it holds nothing', async () => {
    await write({});
    await writeFile(join(folder, 'corpus.jsonl'), Buffer.from([0x7b, 0xff, 0xfe]));
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_INVALID',
      message: expect.stringContaining(
        `${join(folder, 'corpus.jsonl')}: expected JSON Lines in UTF-8, got `,
      ),
    });
    await write({ 'queries.jsonl': '' });
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_INVALID',
      message: `${folder}: expected requests to evaluate, got none`,
    });
  });
});

describe('a folder registry with requests', () => {
  it('is the example registry of this package', async () => {
    const examples = fileURLToPath(new URL('../../examples', import.meta.url));
    const dataset = await readDataset(examples);
    expect(dataset).toMatchObject({ name: 'examples', format: 'registry-folder', notes: [] });
    expect(dataset.skills.length).toBe(64);
    expect(dataset.requests.length).toBe(40);
    expect(dataset.requests[0]!.gold).toContain('skills/documents/pdf-ocr-scans');
  });

  it('may have its skills beside the requests, and says what reading them warned of', async () => {
    const name = basename(folder);
    await writeTree(folder, {
      'one/SKILL.md': skillText('one', 'does one thing'),
      'bad/SKILL.md': '---\nname: bad\n---\n',
      'requests.jsonl': lines({ id: 'r', text: 'one thing', gold: [`${name}/one`] }),
    });
    const dataset = await readDataset(folder);
    expect(dataset.skills.map(({ id }) => id)).toEqual([`${name}/one`]);
    expect(dataset.notes).toEqual(['1 warnings on reading the registry']);
  });
});

describe('the SkillRouter benchmark', () => {
  const task = (id: string) => ({
    task_id: id,
    instruction_text: `task ${id}`,
    difficulty: 'hard',
  });
  const clean = (gold: string[], more = {}) => ({
    gt_skill_ids: gold,
    core_gt_ids: gold,
    auxiliary_gt_ids: [],
    relevance: Object.fromEntries(gold.map((id) => [id, 3])),
    task_type: 'clean',
    ...more,
  });

  beforeEach(async () => {
    await writeTree(folder, {
      'tasks.jsonl': lines(
        ...['clean', 'mixed', 'generic', 'outside', 'old', 'constructor'].map(task),
      ),
      'relevance.json': JSON.stringify({
        clean: clean(['gt/a', 'gt/b'], {
          relevance: { 'gt/a': 3, 'gt/b': 3, 'degraded/a': 1, 'degraded/elsewhere': 1 },
        }),
        mixed: clean(['gt/a'], {
          gt_skill_ids: ['gt/a', 'gt/b'],
          core_gt_ids: ['gt/a', 'gt/gone'],
          task_type: 'mixed',
        }),
        generic: clean(['gt/a'], { core_gt_ids: [], task_type: 'generic_only' }),
        outside: clean(['gt/gone']),
        old: { gt_skill_ids: ['gt/b'] },
      }),
      'hard/part-00000.jsonl': lines(skill('gt/a'), skill('gt/b'), skill('degraded/a')),
      'easy/README.md': 'not a part',
    });
    await writeFile(
      join(folder, 'easy/part-00000.jsonl.gz'),
      gzipSync(lines(skill('gt/a', { source: 'gt' }), skill('gt/b'))),
    );
    await writeFile(
      join(folder, 'easy/part-00001.jsonl.gz'),
      gzipSync(lines(skill('x', { description: null }))),
    );
  });

  it('is scored by its own rules: core gold in the pool, nothing generic, graded relevance', async () => {
    const dataset = await readDataset(folder, { split: 'hard' });
    expect(dataset).toMatchObject({ name: `${basename(folder)}/hard`, format: 'skill-router' });
    expect(dataset.requests).toEqual([
      {
        id: 'clean',
        text: 'task clean',
        gold: ['gt/a', 'gt/b'],
        relevance: new Map([
          ['gt/a', 3],
          ['gt/b', 3],
          ['degraded/a', 1],
        ]),
      },
      { id: 'mixed', text: 'task mixed', gold: ['gt/a'], relevance: new Map([['gt/a', 3]]) },
      { id: 'old', text: 'task old', gold: ['gt/b'] },
    ]);
    expect(dataset.notes).toEqual([
      '1 tasks left out: generic_only',
      '2 tasks left out: no core gold skill in the pool',
      '2 gold ids left out: not in the pool',
    ]);
  });

  it('takes the easy tier by default, out of gzipped parts', async () => {
    const dataset = await readDataset(folder);
    expect(dataset.name).toBe(`${basename(folder)}/easy`);
    expect(dataset.skills.map(({ id }) => id)).toEqual(['gt/a', 'gt/b', 'x']);
    expect(dataset.requests[0]!.relevance!.has('degraded/a')).toBe(false);
  });

  it('is refused for another tier, a damaged part and a bad grade', async () => {
    await expect(readDataset(folder, { split: 'medium' })).rejects.toMatchObject({
      message: 'split: expected one of easy, hard, got "medium"',
    });
    const relevance = join(folder, 'relevance.json');
    await writeFile(
      relevance,
      JSON.stringify({ clean: clean(['gt/a'], { relevance: { a: 'x' } }) }),
    );
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_INVALID',
      message: `${relevance} clean relevance: expected an object of numbers of at least 0, got Object`,
    });
    const part = join(folder, 'easy/part-00001.jsonl.gz');
    await writeFile(part, gzipSync(lines(skill('y'))).subarray(0, 40));
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_INVALID',
      message: expect.stringContaining(part),
    });
  });

  it('needs a pool', async () => {
    const bare = await temporaryFolder();
    await writeTree(bare, { 'tasks.jsonl': lines(task('t')), 'relevance.json': '{}' });
    await expect(readDataset(bare)).rejects.toMatchObject({
      code: 'ERR_DATASET_NOT_FOUND',
      message: `${join(bare, 'easy')}: expected a pool of skills, .jsonl or .jsonl.gz files, got none`,
    });
  });
});

describe('SRA-Bench', () => {
  const instance = (id: string, gold: string[]) => ({
    instance_id: id,
    dataset: id.split('_')[0],
    question: `question ${id}`,
    skill_annotations: gold,
    eval_data: { answer: '1' },
  });
  const corpus = ['champ_001', 'champ_002', 'web_1'].map((id) => ({
    skill_id: id,
    name: id,
    description: 'does it',
    content: `content of ${id}`,
  }));

  beforeEach(() =>
    writeTree(folder, {
      'corpus/corpus.json': JSON.stringify(corpus),
      'instances/champ.json': JSON.stringify([
        instance('champ_0', ['champ_002', 'champ_001']),
        instance('champ_1', []),
      ]),
      'instances/toolqa.json': JSON.stringify([instance('toolqa_0', ['champ_001'])]),
    }),
  );

  it('is read whole, or one file of instances as a split', async () => {
    const dataset = await readDataset(folder);
    expect(dataset).toMatchObject({
      name: basename(folder),
      format: 'sra-bench',
      notes: ['1 instances left out: no skill annotations'],
      requests: [
        { id: 'champ_0', text: 'question champ_0', gold: ['champ_002', 'champ_001'] },
        { id: 'toolqa_0', text: 'question toolqa_0', gold: ['champ_001'] },
      ],
    });
    expect(dataset.skills[0]!.body).toBe('content of champ_001');
    const part = await readDataset(folder, { split: 'toolqa' });
    expect(part.name).toBe(`${basename(folder)}/toolqa`);
    expect(part.requests.length).toBe(1);
    await expect(readDataset(folder, { split: 'other' })).rejects.toMatchObject({
      message: 'split: expected one of champ, toolqa, got "other"',
    });
  });

  it('is refused with file and position', async () => {
    const file = join(folder, 'instances/champ.json');
    await writeFile(file, JSON.stringify([instance('champ_0', ['nowhere'])]));
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_INVALID',
      message: `${file}[0] gold: expected ids of the corpus, got "nowhere"`,
    });
    await writeFile(file, '{}');
    await expect(readDataset(folder)).rejects.toMatchObject({
      message: `${file}: expected a JSON array, got Object`,
    });
  });
});

describe('a folder that is no dataset', () => {
  it('is refused with the layouts that would be one', async () => {
    await expect(readDataset(folder)).rejects.toMatchObject({
      code: 'ERR_DATASET_NOT_FOUND',
      message:
        `${folder}: expected a folder with corpus.jsonl and queries.jsonl; or requests.jsonl; ` +
        'or tasks.jsonl and relevance.json; or corpus/corpus.json and instances, got none of them',
    });
    await expect(readDataset(join(folder, 'nowhere'))).rejects.toMatchObject({
      message: expect.stringContaining('got no such folder'),
    });
  });
});
