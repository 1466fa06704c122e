import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstCodePoints } from '../../lib/code-points.ts';
import { write } from '../../lib/models/text-form.ts';

describe('firstCodePoints', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abc', 2, 'ab'],
    ['a🎉b', 2, 'a🎉'],
    ['🎉🎉', 1, '🎉'],
    ['日本語', 2, '日本'],
    ['abc', 0, ''],
  ])('of %j, %d', (text, count, expected) => {
    expect(firstCodePoints(text, count)).toBe(expected);
  });

  it('counts as iteration does, whatever the text', () => {
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(any, fc.nat(40), (text, count) => {
        expect(firstCodePoints(text, count)).toBe([...text].slice(0, count).join(''));
      }),
    );
  });
});

it('puts the prefix before what is kept of a text', () => {
  expect(write('a🎉b', { prefix: 'query: ', codePoints: 2 })).toBe('query: a🎉');
  expect(write('a🎉b', { prefix: 'query: ' })).toBe('query: a🎉b');
});
