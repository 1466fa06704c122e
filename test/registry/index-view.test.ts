import { expect, it } from 'vitest';
import { cutView, INDEX_VIEW_VERSION, indexView } from '../../lib/registry/index-view.ts';

it('is name, description and body; another form needs another version', () => {
  const view = indexView({ name: 'pdf', description: 'Fills in forms.', body: '# PDF\n\nText' });
  expect([INDEX_VIEW_VERSION, view]).toEqual([1, 'pdf | Fills in forms. | # PDF\n\nText']);
});

it('is cut where a model stops reading, by code points', () => {
  const view = indexView({ name: 'pdf', description: 'a🎉b', body: '🎉🎉 | c' });
  expect(cutView(view, undefined)).toBe(view);
  expect(cutView(view, { description: 2, body: 1 })).toBe('pdf | a🎉 | 🎉');
  expect(cutView(view, { body: 6 })).toBe('pdf | a🎉b | 🎉🎉 | c');
});
