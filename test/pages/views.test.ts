import { describe, expect, it } from 'vitest';
import { pagedIndexView, routingCard, textViewName } from '../../lib/pages/views.ts';
import { indexView } from '../../lib/registry/index-view.ts';
import { page, skill } from './samples.ts';

const merge = skill('pdf-merge', 'Joins PDF files.', '# How');
const own = page({
  positiveTrigger: 'To join.',
  negativeBoundary: 'No cuts.',
  body: 'All in one.',
});
const parts = { positiveTrigger: true, body: true };

describe('the index view', () => {
  it('is the plain one without a page, and without parts of it', () => {
    expect(pagedIndexView(merge, undefined)).toBe(indexView(merge));
    const none = { positiveTrigger: false, body: false };
    expect(pagedIndexView(merge, own, { parts: none })).toBe(indexView(merge));
  });

  it('has B and T+, and never T-', () => {
    expect(pagedIndexView(merge, own)).toBe(
      'pdf-merge | Joins PDF files. | All in one. | To join. | # How',
    );
    expect(pagedIndexView(merge, own, { order: 'document-first' })).toBe(
      'pdf-merge | Joins PDF files. | # How | All in one. | To join.',
    );
    const onlyTrigger = { parts: { ...parts, body: false } };
    expect(pagedIndexView(merge, own, onlyTrigger)).toBe(
      'pdf-merge | Joins PDF files. | To join. | # How',
    );
    const ablation = { parts: { ...parts, negativeBoundary: true } };
    expect(pagedIndexView(merge, own, ablation)).toContain('| All in one. | To join. | No cuts. |');
  });

  it('says nothing twice that the description says', () => {
    const repeating = page({
      positiveTrigger: 'Joins PDF files. To join.',
      body: 'Joins PDF files.',
    });
    expect(pagedIndexView(merge, repeating)).toBe(
      'pdf-merge | Joins PDF files. | To join. | # How',
    );
    const { positiveTrigger } = page({ positiveTrigger: 'Joins PDF files.' });
    expect(pagedIndexView(merge, page({ positiveTrigger, body: '' }))).toBe(indexView(merge));
  });

  it('cuts the document at some 4,096 tokens, not the page', () => {
    const long = skill('long', 'd', 'x'.repeat(50_000));
    for (const order of ['document-first', 'page-first'] as const) {
      const view = pagedIndexView(long, own, { order });
      expect(view.length).toBeGreaterThan(16_000);
      expect(view.length).toBeLessThan(16_500);
      expect(view).toContain('All in one. | To join.');
    }
  });

  it('has a name for the fingerprint that tells every form apart', () => {
    const names = [
      textViewName(),
      textViewName({ order: 'document-first' }),
      textViewName({ parts: { ...parts, body: false } }),
      textViewName({ parts: { ...parts, negativeBoundary: true } }),
    ];
    expect(names[0]).toBe('paged-view-1 page-first B T+');
    expect(new Set(names).size).toBe(4);
  });
});

it('the routing card has T- as a field of its own', () => {
  const card = { skill: merge.id, name: 'pdf-merge', description: 'Joins PDF files.' };
  expect(routingCard(merge, own)).toEqual({ ...card, negativeBoundary: 'No cuts.' });
  expect(routingCard(merge, page({ negativeBoundary: '' }))).toEqual({
    ...card,
    negativeBoundary: undefined,
  });
  expect(routingCard(merge, undefined)).toEqual({ ...card, negativeBoundary: undefined });
});
