import { expect, it } from 'vitest';
import { INDEX_VIEW_VERSION, indexView } from '../../lib/registry/index-view.ts';

it('is name, description and body; another form needs another version', () => {
  const view = indexView({ name: 'pdf', description: 'Fills in forms.', body: '# PDF\n\nText' });
  expect([INDEX_VIEW_VERSION, view]).toEqual([1, 'pdf | Fills in forms. | # PDF\n\nText']);
});
