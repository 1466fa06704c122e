import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyHash, nameKey } from '../../lib/registry/name-key.ts';
import { NameIndex } from '../../lib/routing/mentions.ts';

const names = [
  'pdf-table-extract',
  'deploy',
  'search',
  'C++ review',
  '翻译助手',
  'deploy',
  'pdf',
  'Émile_Zola',
];
const index = indexOf(names);
const rows = (text: string) => index.mentions(text).map(({ row }) => row);
const explicit = (text: string) =>
  index
    .mentions(text)
    .filter((mention) => mention.explicit)
    .map(({ row }) => row);

describe('mentions', () => {
  it('are found whatever the case, the joints and the place', () => {
    expect(rows('Run pdf-table-extract on it')).toEqual([0, 6]);
    expect(rows('PDF_Table.Extract')).toEqual([0, 6]);
    expect(rows('the pdf table extract one, please')).toEqual([0, 6]);
    expect(rows('请用 翻译助手 来翻译')).toEqual([4]);
    expect(rows('émile zola')).toEqual([7]);
    expect(rows('ask EMILE-ZOLA')).toEqual([]);
  });

  it('find all skills of one name', () => {
    expect(rows('deploy this')).toEqual([1, 5]);
  });

  it('need whole words, joined by one mark at most', () => {
    expect(rows('researching deployments')).toEqual([]);
    expect(rows('pdf, table, extract')).toEqual([6]);
    expect(rows('pdf  table extract')).toEqual([6]);
  });

  it('are explicit where the name is written as one, or set off', () => {
    expect(explicit('use pdf-table-extract')).toEqual([0]);
    expect(explicit('use pdf table extract')).toEqual([]);
    expect(explicit('search for it and deploy it')).toEqual([]);
    expect(explicit('run /deploy now')).toEqual([1, 5]);
    expect(explicit('`search`, then (`deploy`)')).toEqual([1, 2, 5]);
    expect(explicit('search, then “search”')).toEqual([2]);
    expect(explicit('src/deploy/search')).toEqual([]);
  });

  it('are none in nothing', () => {
    expect(rows('')).toEqual([]);
    expect(indexOf([]).mentions('deploy')).toEqual([]);
    expect(indexOf(['', '---']).mentions('--- ')).toEqual([]);
  });

  it('always find a name of the registry in whatever stands around it', () => {
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string(), fc.string(), (name, before, after) => {
        const found = rows(`${before} ${name} ${after}`);
        expect(found).toContain(names.indexOf(name));
      }),
    );
  });
});

function indexOf(some: readonly string[]): NameIndex {
  const keys = some.map(nameKey);
  const hashes = keys.flatMap((key) => (key === undefined ? [] : [keyHash(key)]));
  return new NameIndex(new Set(hashes), (key) =>
    keys.flatMap((one, row) => (one === key ? [row] : [])),
  );
}
