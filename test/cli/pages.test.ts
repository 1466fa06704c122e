import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePageMarkdown } from '../../lib/pages/page-markdown.ts';
import { goodPages, ModelServer, reply } from '../pages/model-server.ts';
import { skillspan } from '../support/cli.ts';
import { parseMarkup } from '../support/markup.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';

let registry: string;

const pages = (name: string, ...args: string[]) =>
  skillspan('pages', name, '--registry', registry, ...args);

beforeAll(async () => {
  registry = join(await temporaryFolder(), 'skills');
  await writeTree(registry, {
    'merge/SKILL.md': skillText('pdf-merge', 'Joins several PDF files into one PDF file.'),
    'split/SKILL.md': skillText('pdf-split', 'Splits one PDF file into several PDF files.'),
    'rotate/SKILL.md': skillText('pdf-rotate', 'Rotates pages of one PDF file into place.'),
    'mail/SKILL.md': skillText('mail', 'Writes a polite letter to a customer.'),
  });
});

/** The same without blocking, for a server of this process. */
async function asked(...args: string[]): Promise<string> {
  const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
  const env = { ...process.env, SKILLSPAN_API_KEY: 'secret' };
  const child = spawn(process.execPath, [main, 'pages', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (text += data));
  await once(child, 'close');
  return text;
}

describe('skillspan pages with a language model', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await ModelServer.start();
  });
  afterAll(() => server.stop());
  const model = () => ['--llm', 'writer', '--base-url', server.baseURL];

  it('compiles what a dry run has told, and mends what the audit lists', async () => {
    const file = join(await temporaryFolder(), 'pages.jsonl');
    const to = ['--registry', registry, '--pages', file, '--distance', '0.25'];
    const prices = ['--input-price', '1', '--output-price', '10'];
    const dry = await asked('compile', ...to, ...model(), ...prices, '--dry-run');
    expect(dry).toMatch(
      /^2 units of 4 skills to compile, 0 are there; about \d+ tokens in and 1200 out, 0\.01 at/,
    );
    expect(server.asked.length).toBe(0);
    const compiled = await asked('compile', ...to, ...model());
    expect(compiled).toMatch(/2 units compiled, 0 were there, 0 fell back; 200 tokens in, 20 out/);
    expect(server.asked[0]!.authorization).toBe('Bearer secret');

    // "Asked for mail." has two telling words.
    expect(await asked('audit', ...to)).toMatch(
      /^skills\/mail: trigger-vague: [^\n]*\n1 findings\n$/,
    );
    server.behave = ({ names }, response) => {
      const pages = goodPages(names).map((page) => ({
        ...page,
        positiveTrigger: 'Writing a kind letter.',
      }));
      reply(response, JSON.stringify({ pages }));
    };
    expect(await asked('audit', ...to, ...model(), '--fix')).toBe('0 findings\n');
    expect(server.asked.length).toBe(3);
    expect(server.asked[2]!.prompt).toContain('An editor said of the last pages');
  });

  it('chooses one skill, and measures how often that is right', async () => {
    server.behave = ({ names, prompt }, response) => {
      const wanted = /split/.test(prompt.slice(prompt.indexOf('<request>'))) ? 'pdf-split' : '';
      const place = names.indexOf(wanted);
      reply(response, JSON.stringify({ choice: place < 0 ? 'none' : `c${place + 1}` }));
    };
    expect(await asked('choose', 'split my file', '--registry', registry, ...model())).toBe(
      'skills/split\n',
    );
    const dataset = join(registry, '..');
    const requests = [
      { id: 'a', text: 'split my file', gold: ['skills/split'] },
      { id: 'b', text: 'write a letter', gold: ['skills/mail'] },
    ];
    await writeTree(dataset, {
      'requests.jsonl': requests.map((one) => JSON.stringify(one)).join('\n'),
    });
    expect(await asked('choose', '--dataset', dataset, ...model())).toMatch(
      /^2 requests; right: first candidate 1\.000, cards without T⁻ 0\.500, with T⁻ 0\.500\n/,
    );
    expect(await asked('choose', ...model())).toContain('[ERR_INVALID_ARGUMENT]');
  });
});

describe('skillspan pages', () => {
  it('finds neighbourhoods, and says how they depend on the settings', () => {
    const { stdout, stderr, status } = pages(
      'neighbourhoods',
      '--json',
      '--distance',
      '0.25',
      '--sweep-distance',
      '0,0.25',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const found = JSON.parse(stdout);
    expect(found.groups).toEqual([['skills/merge', 'skills/rotate', 'skills/split']]);
    expect(found.singles).toEqual(['skills/mail']);
    expect(found.statistics).toMatchObject({ rows: 4, neighbourhoods: 1, singleShare: 0.25 });
    expect(
      found.sweep.map(({ statistics }: { statistics: { singles: number } }) => statistics.singles),
    ).toEqual([4, 1]);
    expect(pages('neighbourhoods', '--distance', '0.25').stdout).toMatch(
      /^4 skills: 1 neighbourhoods of 3\.0/,
    );
  });

  it('compiles, tells what is true, audits, and does nothing twice', async () => {
    const first = pages('compile', '--distance', '0.25', '--markdown');
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
    expect(first.stdout).toMatch(/^2 units compiled, 0 were there, 0 fell back\n/);
    expect(pages('compile', '--distance', '0.25').stdout).toMatch(
      /^0 units compiled, 2 were there/,
    );

    const report = join(registry, '..', 'neighbourhoods.html');
    pages('neighbourhoods', '--distance', '0.25', '--html', report);
    const shown = await readFile(report, 'utf8');
    expect(parseMarkup(shown).filter(({ name }) => name === 'section')).toHaveLength(1);
    expect(shown).toContain('is for pdf-split.');

    const file = join(registry, 'merge', 'CAPABILITY.md');
    const page = parsePageMarkdown(await readFile(file, 'utf8'), file);
    expect(page).toMatchObject({ skill: 'skills/merge', provenance: { compiler: 'extractive' } });
    expect(page.negativeBoundary).toContain('is for pdf-split.');

    expect(pages('status').stdout).toBe(
      '4 current, 0 fallback, 0 stale, 0 neighbours-changed, 0 missing, 0 without a skill\n',
    );
    const audit = pages('audit', '--json', '--overlap', '0.5');
    expect(audit.status).toBe(0);
    const codes = JSON.parse(audit.stdout).map(({ code }: { code: string }) => code);
    expect(codes).toContain('trigger-overlap');

    await writeTree(registry, { 'stamp/SKILL.md': skillText('stamp', 'Puts a date on a parcel.') });
    expect(pages('status').stdout).toMatch(/^missing: skills\/stamp\n4 current/);
    expect(pages('compile', '--distance', '0.25').stdout).toMatch(
      /^1 units compiled, 2 were there/,
    );
  });

  it.each([
    [['compile', '--compiler', 'magic'], 'ERR_INVALID_ARGUMENT'],
    [['compile', '--compiler', 'language-model'], 'ERR_INVALID_ARGUMENT'],
    [['compile', '--llm', 'x'], 'ERR_INVALID_ARGUMENT'],
    [['neighbourhoods', '--max-size', '1'], 'ERR_OUT_OF_RANGE'],
  ])('refuses %j with %s before anything is embedded', ([name, ...args], code) => {
    const { status, stderr } = pages(name!, ...args);
    expect(status).toBe(1);
    expect(stderr).toContain(`[${code}]`);
  });
});
