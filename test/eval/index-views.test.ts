import { describe, expect, it } from 'vitest';
import { compareViews, firstPlaces, viewOf } from '../../lib/eval/index-views.ts';
import type { Method } from '../../lib/eval/methods/method.ts';
import { CorpusStatistics } from '../../lib/pages/corpus-statistics.ts';
import { page, skill } from '../pages/samples.ts';

const merge = skill('pdf-merge', 'Joins PDF files.', 'Bookmarks stay. Bookmarks!');
const mail = skill('mail', 'Sends letters of all kinds, and files.');

const method = (name: string, ids: Readonly<Record<string, readonly string[]>>): Method => ({
  name,
  dependsOnK: false,
  rank: async (request) => ({ ids: ids[request]!, milliseconds: {} }),
});

describe('index views', () => {
  it('are raw, with parts of the page, or with the terms that tell most', async () => {
    const texts = {
      positiveTrigger: 'To join.',
      negativeBoundary: 'No cuts.',
      body: 'All in one.',
    };
    const sources = {
      pages: new Map([[merge.id, page(texts)]]),
      statistics: await CorpusStatistics.of([merge, mail]),
      order: 'page-first' as const,
    };
    const raw = 'pdf-merge | Joins PDF files. | Bookmarks stay. Bookmarks!';
    expect(viewOf('raw', sources)(merge)).toBe(raw);
    expect(viewOf('+T+', sources)(merge)).toContain('files. | To join. | Book');
    expect(viewOf('+B', sources)(merge)).toContain('files. | All in one. | Book');
    expect(viewOf('full', sources)(merge)).toContain('| All in one. | To join. |');
    expect(viewOf('full+T-', sources)(merge)).toContain('| To join. | No cuts. |');
    const expanded = viewOf('doc2query', sources)(merge);
    // What both have tells nothing: files comes last.
    expect(expanded).toMatch(/^pdf-merge .*Bookmarks! \| (pdf|bookmarks) .* files$/);
    expect(viewOf('full', sources)(mail)).toBe('mail | Sends letters of all kinds, and files. | ');
  });

  it('are compared request by request', async () => {
    const requests = ['a', 'b', 'c'].map((text) => ({ id: text, text, gold: [text] }));
    const raw = method('raw', { a: ['a'], b: ['b', 'a'], c: ['x', 'c'] });
    const other = method('full', { a: ['a'], b: ['x'], c: ['c'] });
    let asked = 0;
    const results = await compareViews(
      'bm25',
      [
        ['raw', raw],
        ['full', other],
      ],
      requests,
      1,
      () => asked++,
    );
    expect(asked).toBe(3);
    expect(results[0]).toMatchObject({
      view: 'raw',
      'Hit@1': 2 / 3,
      'R@10': 1,
      versusRaw: undefined,
    });
    expect(results[1]).toMatchObject({
      retriever: 'bm25',
      'Hit@1': 2 / 3,
      'R@10': 2 / 3,
      first: { preserved: 0.5, gained: 1, lost: 1 },
    });
    expect(results[1]!.versusRaw!['R@10']!.difference).toBeCloseTo(-1 / 3);
  });

  it('keep nothing where there was nothing to keep', () => {
    expect(firstPlaces([0, 0], [1, 0])).toEqual({ preserved: undefined, gained: 1, lost: 0 });
  });
});
