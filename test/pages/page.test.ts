import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PAGE_LIMITS, type Page, pageText, readPage } from '../../lib/pages/page.ts';
import { PageFile } from '../../lib/pages/page-file.ts';
import { pageMarkdown, parsePageMarkdown } from '../../lib/pages/page-markdown.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { page } from './samples.ts';

/** Texts with whatever Markdown, YAML and JSON might trip over, as pages may hold them. */
const line = (limit: number) =>
  fc
    .oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.constantFrom('## Not for', '> quoted', '---', 'a: b', '# h', '"', '🦊'.repeat(limit + 9)),
    )
    .map((text) => pageText(text, limit));

const pages: fc.Arbitrary<Page> = fc
  .record({
    skill: fc.string({ minLength: 1 }).map((id) => `x${id}`),
    positiveTrigger: line(PAGE_LIMITS.positiveTrigger).map((text) => text || 'x'),
    negativeBoundary: line(PAGE_LIMITS.negativeBoundary),
    body: line(PAGE_LIMITS.body),
  })
  .map((texts) => page(texts));

const newFile = async () => new PageFile(join(await temporaryFolder(), 'deep', 'pages.jsonl'));

describe('a page', () => {
  it('is cut at a word, on one line, and never longer than its limit', () => {
    expect(pageText(' two\n  lines\t', 20)).toBe('two lines');
    expect(pageText('one two three', 9)).toBe('one two…');
    expect(pageText('🦊🦊🦊🦊', 3)).toBe('🦊🦊…');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 2, max: 30 }), (text, limit) => {
        expect([...pageText(text, limit)].length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it.each([
    ['no object', 7, /^file:1: expected a capability page/],
    ['a field too many', { ...page(), extra: 1 }, /extra/],
    ['no trigger', page({ positiveTrigger: '' }), /^file:1 positiveTrigger: /],
    ['a trigger too long', page({ positiveTrigger: 'x'.repeat(401) }), /at most 400 code points/],
    ['a body too long', page({ body: '🦊'.repeat(601) }), /at most 600 code points/],
    ['a line break', page({ negativeBoundary: 'a\nb' }), /one line/],
    ['a wrong hash', page({ contentHash: 'abc' }), /SHA-256/],
    ['no members', page({ provenance: { ...page().provenance, members: [] } }), /members/],
    ['a date that is none', page({ provenance: { ...page().provenance, date: 'now' } }), /date/],
  ])('is refused with %s', (_, value, message) => {
    expect(() => readPage(value, 'file:1')).toThrow(
      expect.objectContaining({
        code: 'ERR_PAGE_INVALID',
        message: expect.stringMatching(message),
      }),
    );
  });

  it('may be as long as its limits, in code points', () => {
    const longest = page({
      positiveTrigger: '🦊'.repeat(400),
      negativeBoundary: '',
      body: '🦊'.repeat(600),
    });
    expect(readPage(longest, 'here')).toEqual(longest);
  });
});

describe('a file of pages', () => {
  it('gives back what was appended, the last of each skill', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(pages, { maxLength: 8 }), async (written) => {
        const file = await newFile();
        for (const one of written) await file.append([one]);
        expect(await file.load()).toEqual(new Map(written.map((one) => [one.skill, one])));
      }),
      { numRuns: 30 },
    );
  });

  it('is empty where there is none', async () => {
    expect((await (await newFile()).load()).size).toBe(0);
  });

  it('loses of a write that was killed only what had no end', async () => {
    const file = await newFile();
    await file.append([page({ skill: 'a' }), page({ skill: 'b' })]);
    const whole = await readFile(file.path, 'utf8');
    await appendFile(file.path, JSON.stringify(page({ skill: 'c', body: '🦊' })).slice(0, -20));
    expect([...(await file.load()).keys()]).toEqual(['a', 'b']);
    expect(await readFile(file.path, 'utf8')).toBe(whole);
    await file.append([page({ skill: 'd' })]);
    expect([...(await file.load()).keys()]).toEqual(['a', 'b', 'd']);
  });

  it('is replaced as a whole', async () => {
    const file = await newFile();
    await file.append([page({ skill: 'a' }), page({ skill: 'b' })]);
    await file.replace([page({ skill: 'b', body: 'new' })]);
    expect([...(await file.load()).values()]).toEqual([page({ skill: 'b', body: 'new' })]);
  });

  it('names the line that is wrong', async () => {
    const file = await newFile();
    await file.append([page()]);
    await appendFile(file.path, 'nonsense\n');
    await expect(file.load()).rejects.toMatchObject({
      code: 'ERR_PAGE_INVALID',
      message: expect.stringContaining('pages.jsonl:2'),
    });
  });

  it('says what the system refused', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'pages.jsonl'));
    const file = new PageFile(join(folder, 'pages.jsonl'));
    await expect(file.load()).rejects.toMatchObject({ code: 'ERR_FILE' });
    await expect(file.append([page()])).rejects.toMatchObject({ code: 'ERR_FILE' });
    await writeFile(join(folder, 'plain'), '');
    const below = new PageFile(join(folder, 'plain', 'pages.jsonl'));
    await expect(below.replace([page()])).rejects.toMatchObject({ code: 'ERR_FILE' });
  });
});

describe('a page as Markdown', () => {
  it('reads back as it was, whatever stands in its texts', () => {
    fc.assert(
      fc.property(pages, (one) => {
        expect(parsePageMarkdown(pageMarkdown(one), 'here')).toEqual(one);
      }),
    );
  });

  it('is made for people', () => {
    const text = pageMarkdown(page());
    expect(text).toContain('## Use when\n\n> Joining several PDF files into one.\n');
    expect(parsePageMarkdown(text.replaceAll('\n', '\r\n'), 'here')).toEqual(page());
  });

  it.each([
    ['no front matter', '## Use when\n\n> x\n'],
    [
      'front matter that is no mapping',
      pageMarkdown(page()).replace(/---\n[\s\S]*?\n---/, '---\n- a\n---'),
    ],
    ['a section missing', pageMarkdown(page()).replace('## Not for', '## Else')],
    ['a trigger missing', pageMarkdown(page({ positiveTrigger: 'x' })).replace('> x', '>')],
  ])('is refused with %s', (_, text) => {
    expect(() => parsePageMarkdown(text, 'CAPABILITY.md')).toThrow(
      expect.objectContaining({ code: 'ERR_PAGE_INVALID' }),
    );
  });
});
