import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clauseKind } from '../../lib/pages/clauses.ts';
import { CorpusStatistics } from '../../lib/pages/corpus-statistics.ts';
import { compileExtractive } from '../../lib/pages/extractive.ts';
import { PAGE_LIMITS } from '../../lib/pages/page.ts';
import { sentencesOf } from '../../lib/pages/prose.ts';
import type { Skill } from '../../lib/registry/registry.ts';
import { skill } from './samples.ts';

const compile = async (...skills: Skill[]) =>
  compileExtractive(skills, await CorpusStatistics.of(skills));

describe('sentences of a skill', () => {
  it('are its prose, with the headings that they stand under', () => {
    const markdown = [
      'Intro sentence one. Built for .NET teams, e.g. small ones.',
      '# When to use',
      '- **Merging** [two files](http://x.test/a)',
      '1. Run it',
      '',
      '```sh',
      'pdf merge a b',
      '```',
      '| a | b |',
      '**Not for:**',
      'Anything that runs',
      'over two lines.',
    ].join('\n');
    expect(sentencesOf(markdown)).toEqual([
      { text: 'Intro sentence one.', heading: '', isStep: false },
      { text: 'Built for .NET teams, e.g. small ones.', heading: '', isStep: false },
      { text: 'Merging two files', heading: 'when to use', isStep: false },
      { text: 'Run it', heading: 'when to use', isStep: true },
      { text: 'Anything that runs over two lines.', heading: 'not for:', isStep: false },
    ]);
  });

  it.each([
    ['Use when a file has to be split.', '', 'positive'],
    ['Ideal for large tables.', '', 'positive'],
    ['Joining two files', 'when to use this skill', 'positive'],
    ['Not for scanned pages.', '', 'negative'],
    ['Do not use this for images.', '', 'negative'],
    ['For a single page use pdf-cut instead.', '', 'negative'],
    ['Joining two files', 'when not to use', 'negative'],
    ['Joining two files', 'do not use this skill when', 'negative'],
    ['It joins files.', 'overview', undefined],
  ] as const)('%s [%s] is %s', (text, heading, kind) => {
    expect(clauseKind({ text, heading, isStep: false })).toBe(kind);
  });
});

const merge = skill(
  'pdf-merge',
  'Joins several PDF files into one document. Use when chapters or invoices must become a single file.',
  '# Overview\n\nKeeps bookmarks and page labels of every source document.\n\n```sh\nrm -rf /\n```\n\n' +
    '## Steps\n\n1. Collect the names of all source documents first.\n',
);
const split = skill(
  'pdf-split',
  'Cuts a PDF file into several. Use when pages or ranges must be taken apart.',
  '## When not to use\n\n- Reordering chapters without cutting: use pdf-merge instead.\n',
);
const rotate = skill('pdf-rotate', 'Turns pages of a PDF file by quarter turns, clockwise or not.');

describe('the extractive compiler', () => {
  it('takes triggers, boundaries and bodies from what the authors say', async () => {
    const [merged, cut, turned] = await compile(merge, split, rotate);
    expect(merged!.positiveTrigger).toMatch(
      /^Use when chapters or invoices must become a single file\./,
    );
    expect(merged!.negativeBoundary).toContain('is for pdf-split.');
    expect(merged!.negativeBoundary).toContain(
      '“Turns pages of a PDF file by quarter turns, clockwise or not” is for pdf-rotate.',
    );
    expect(merged!.body).toContain('Keeps bookmarks and page labels of every source document.');
    expect(merged!.body).not.toMatch(/rm -rf|Collect the names/);
    // What an author says of a neighbour comes first, and the neighbour is not named twice.
    expect(cut!.negativeBoundary).toMatch(
      /^Reordering chapters without cutting: use pdf-merge instead\./,
    );
    expect(cut!.negativeBoundary.match(/pdf-merge/g)).toHaveLength(1);
    expect(turned!.positiveTrigger).toBe(rotate.description);
  });

  it('takes advice on how to work for no boundary, and code for no sentence', async () => {
    const advice =
      'Never use narrow margins, use wide ones instead. Run scripts/join.py for every single document. ' +
      'This skill is not meant for handwritten letters.';
    const [own] = await compile(skill('margins', 'Sets margins of printed pages.', advice), split);
    expect(own!.negativeBoundary).toContain('This skill is not meant for handwritten letters.');
    expect(own!.negativeBoundary).not.toContain('narrow margins');
    expect(JSON.stringify(own)).not.toContain('join.py');
  });

  it('tells nothing apart where nothing differs', async () => {
    const twin = { ...merge, id: 'other/pdf-merge' };
    const [one, two] = await compile(merge, twin);
    expect(one).toEqual(two);
    expect(one!.negativeBoundary).toBe('');
  });

  it('calls neighbours of one name by their ids', async () => {
    const namesake = {
      ...rotate,
      id: 'b/pdf-rotate',
      contentHash: 'f'.repeat(64),
      description: 'Spins drawings about their centre point.',
    };
    const [first] = await compile(merge, rotate, namesake);
    expect(first!.negativeBoundary).toContain('is for skills/pdf-rotate.');
    expect(first!.negativeBoundary).toContain('is for b/pdf-rotate.');
  });

  it('passes over sentences that many skills share', async () => {
    const shared = 'Use when the task clearly matches the scope described above.';
    const some = [
      skill('kayak', `Patches holes in a plastic hull. ${shared}`),
      skill('bicycle', `Replaces a worn chain and its sprockets. ${shared}`),
      skill('tractor', `Bleeds air out of diesel pipes. ${shared}`),
    ];
    for (const { positiveTrigger } of await compile(...some)) {
      expect(positiveTrigger).not.toContain('scope');
    }
  });

  it('never invents: every word of a page is of its neighbourhood, and no text is too long', async () => {
    const words = fc.constantFrom(
      'Use when',
      'not for',
      'pdf',
      'merge',
      'tables',
      'of',
      'Ärger',
      '表',
      '.',
      '\n- ',
      '\n# H\n',
      '1. ',
      '🦊',
    );
    const text = fc.array(words, { maxLength: 60 }).map((some) => some.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 5 }),
        async (texts) => {
          const some = texts.map(([description, body], i) =>
            skill(`skill-${i}`, description, body),
          );
          const said = some
            .map(({ name, description, body }) => `${name} ${description} ${body}`)
            .join(' ');
          for (const [i, page] of (await compile(...some)).entries()) {
            expect(page.positiveTrigger).not.toBe('');
            for (const [field, limit] of Object.entries(PAGE_LIMITS)) {
              const value = page[field as keyof typeof PAGE_LIMITS];
              expect([...value].length).toBeLessThanOrEqual(limit);
              for (const word of value.match(/[\p{L}\p{N}]+/gu) ?? []) {
                if (!['is', 'for'].includes(word)) expect(said).toContain(word);
              }
            }
            expect(page.body).not.toContain(`skill-${i === 0 ? 1 : 0}`);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stops reading a registry when the signal aborts', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(CorpusStatistics.of([merge], signal)).rejects.toThrow('enough');
  });
});
