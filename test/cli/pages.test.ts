import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parsePageMarkdown } from '../../lib/pages/page-markdown.ts';
import { skillspan } from '../support/cli.ts';
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
    const dry = pages('compile', '--distance', '0.25', '--dry-run');
    expect(dry.stdout).toBe('2 units of 4 skills to compile, 0 are there\n');
    const first = pages('compile', '--distance', '0.25', '--markdown');
    expect({ status: first.status, stderr: first.stderr }).toEqual({ status: 0, stderr: '' });
    expect(first.stdout).toMatch(/^2 units compiled, 0 were there, 0 fell back\n/);
    expect(pages('compile', '--distance', '0.25').stdout).toMatch(
      /^0 units compiled, 2 were there/,
    );

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
    expect(pages('audit', '--overlap', '1').stdout).toMatch(/findings\n$/);

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
