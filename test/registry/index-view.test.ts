import { expect, it } from 'vitest';
import { INDEX_VIEW_VERSION, indexView } from '../../lib/registry/index-view.ts';

it('is name, description and body; another form needs another version', () => {
  const view = indexView({ name: 'pdf', description: 'Fills in forms.', body: '# PDF\n\nText' });
  expect([INDEX_VIEW_VERSION, view]).toEqual([1, 'pdf | Fills in forms. | # PDF\n\nText']);
});

it('is cut where a model stops reading, by code points', () => {
  const skill = { name: 'pdf', description: 'a🎉b', body: '🎉🎉 c' };
  expect(indexView(skill, { description: 2, body: 1 })).toBe('pdf | a🎉 | 🎉');
  expect(indexView(skill, { body: 2 })).toBe('pdf | a🎉b | 🎉🎉');
});
