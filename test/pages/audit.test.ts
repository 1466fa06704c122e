import { describe, expect, it } from 'vitest';
import { auditPages } from '../../lib/pages/audit.ts';
import type { Page, PageTexts } from '../../lib/pages/page.ts';
import { membersOf } from '../../lib/pages/units.ts';
import type { Skill } from '../../lib/registry/registry.ts';
import { WordEncoder } from '../support/word-encoder.ts';
import { page, skill } from './samples.ts';

const merge = skill('pdf-merge', 'Joins PDF files.');
const split = skill('pdf-split', 'Cuts PDF files.');
const mail = skill('mail', 'Sends letters.');

const good: PageTexts = {
  positiveTrigger: 'Several invoices must become one document.',
  negativeBoundary: 'Taking a document apart is for pdf-split.',
  body: 'Joins documents and keeps their bookmarks.',
};
const others: PageTexts = {
  positiveTrigger: 'One contract must be cut into chapters.',
  negativeBoundary: 'Joining documents: use pdf-merge.',
  body: 'Cuts documents at given pages.',
};

/** Pages of two neighbours, the first with these texts. */
function pair(texts: Partial<PageTexts>, skills: readonly Skill[] = [merge, split]) {
  const provenance = {
    ...page().provenance,
    compiler: 'language-model' as const,
    members: membersOf(skills),
  };
  const pages = skills.map(({ id, contentHash }, i): Page => {
    const own = i === 0 ? { ...good, ...texts } : others;
    return { skill: id, contentHash, ...own, provenance };
  });
  return new Map(pages.map((one) => [one.skill, one]));
}

const codes = async (texts: Partial<PageTexts>, skills?: readonly Skill[]) =>
  (await auditPages([merge, split, mail], pair(texts, skills)))
    .filter((finding) => finding.skill === merge.id)
    .map(({ code }) => code);

describe('the audit', () => {
  it('finds nothing in good pages', async () => {
    expect(await auditPages([merge, split, mail], pair({}))).toEqual([]);
  });

  it.each<[Partial<PageTexts>, string[]]>([
    [{ positiveTrigger: 'When you need it.' }, ['trigger-vague']],
    [{ positiveTrigger: 'One contract cut into chapters.' }, ['trigger-vague']],
    [{ negativeBoundary: '' }, ['boundary-missing']],
    [{ negativeBoundary: 'Anything else.' }, ['boundary-names-no-neighbour']],
    [
      { negativeBoundary: 'Cutting is for pdf-splitter.' },
      ['boundary-names-no-neighbour', 'boundary-unknown-skill'],
    ],
    [
      { negativeBoundary: 'Cutting: pdf-split. Signing: use pdf-sign.' },
      ['boundary-unknown-skill'],
    ],
    [{ body: '' }, ['body-missing']],
    [{ body: 'Unlike pdf-split it joins.' }, ['body-names-neighbour']],
    [{ body: 'Runs `pdf join`.' }, ['code']],
    [{ body: 'Reads scripts/join.py for it.' }, ['code']],
    [{ body: 'Step 1: open the file.' }, ['procedure']],
    [{ body: 'First collect all names, then join.' }, ['procedure']],
    [{ body: 'Solves task-0132 of a set.' }, ['benchmark-identifier']],
    [{ positiveTrigger: 'Requests of SealTools about documents.' }, ['benchmark-identifier']],
  ])('of %j says %j', async (texts, expected) => {
    expect(await codes(texts)).toEqual(expected);
  });

  it('asks no boundary of a skill without neighbours, nor of copies', async () => {
    expect(await codes({ negativeBoundary: '' }, [merge])).toEqual([]);
    const copy = { ...split, contentHash: merge.contentHash };
    const pages = pair({ negativeBoundary: '' }, [merge, copy]);
    const found = await auditPages([merge, copy], pages);
    expect(found.filter(({ skill: id }) => id === merge.id)).toEqual([]);
  });

  it('finds triggers of neighbours that are alike by embedding, and tells of both', async () => {
    const pages = pair({ positiveTrigger: 'One contract must be cut into parts.' });
    const encoder = new WordEncoder();
    const all = [merge, split, mail];
    const found = await auditPages(all, pages, { encoder, overlap: 0.8 });
    expect(found.map(({ skill: id, code }) => [id, code])).toEqual([
      [merge.id, 'trigger-overlap'],
      [split.id, 'trigger-overlap'],
    ]);
    expect(await auditPages(all, pages, { encoder, overlap: 0.99 })).toEqual([]);
    await expect(auditPages(all, pages, { overlap: 2 })).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    });
  });
});
