import { describe, expect, it } from 'vitest';
import { parse, skillOf, warningsOf } from './helpers.ts';

/** A skill file around some front matter; `name` is on line 2, the rest begins on line 3. */
const withFields = (yaml: string) => `---\nname: pdf-forms\n${yaml}\n---\nBody`;

describe('valid YAML', () => {
  it.each([
    [
      'a folded block',
      'description: >\n  Fills in\n  forms.\n\n  Reads them.',
      'Fills in forms.\nReads them.',
    ],
    ['a literal block', 'description: |-\n  Fills in\n    forms: all', 'Fills in\n  forms: all'],
    ['a rule inside a block', 'description: |\n  Above\n  ---\n  Below', 'Above\n---\nBelow'],
    ['a quoted colon', 'description: "Use when: asked"', 'Use when: asked'],
    ['a plain value over two lines', 'description: Fills in\n  forms.', 'Fills in forms.'],
    ['a date, which stays text', 'description: 2025-01-31', '2025-01-31'],
  ])('%s', (_what, yaml, description) => {
    expect(skillOf(withFields(yaml)).description).toBe(description);
    expect(warningsOf(withFields(yaml))).toEqual([]);
  });

  it('gives every other field as metadata', () => {
    const yaml =
      'description: Forms.\nlicense: MIT\nallowed-tools: [Read, Bash]\nmetadata:\n  version: 1.0\n';
    expect(skillOf(withFields(yaml)).metadata).toEqual({
      license: 'MIT',
      'allowed-tools': ['Read', 'Bash'],
      metadata: { version: 1 },
    });
  });
});

it('metadata is plain data, whatever its tags', () => {
  const yaml = 'description: Forms.\nsince: !!timestamp 2025-01-31\nfor: !!set {pdf}';
  const { metadata } = skillOf(withFields(yaml));
  expect(metadata).toEqual({ since: '2025-01-31', for: { pdf: null } });
});

describe('values that are not text', () => {
  it.each([
    ['a number, as written', '1.10', '1.10'],
    ['a truth value', 'true', 'true'],
    ['a list', '[forms, 7, [pdf]]', 'forms, 7, pdf'],
    ['a mapping', '{use: forms, never: ~}', 'use: forms, never: '],
  ])('%s', (_what, value, description) => {
    const text = withFields(`description: ${value}`);
    expect(skillOf(text).description).toBe(description.trim());
    expect(warningsOf(text)).toEqual(['value-not-text:3']);
  });
});

it('an unquoted value that a comment cuts short is reported', () => {
  const text = withFields('description: Posts to the #1 platform');
  expect(skillOf(text).description).toBe('Posts to the');
  expect(parse(text).warnings).toMatchObject([
    { code: 'value-cut', line: 3, message: 'left out, as a YAML comment: #1 platform' },
  ]);
});

describe('invalid YAML is read as it was meant', () => {
  it.each([
    ['an unquoted colon', 'Use when: asked to "fill" a form', 'Use when: asked to "fill" a form'],
    [
      'an unquoted colon over two lines',
      'Use when: asked\n  about: forms',
      'Use when: asked about: forms',
    ],
    ['an unquoted colon before a comment', 'Use when: asked\n# who: us', 'Use when: asked'],
    ['a reserved character', '@mention and `code`', '@mention and `code`'],
    ['a percent sign', '%complete of a form', '%complete of a form'],
    ['bold text, which looks like an alias', '**Fills** in forms', '**Fills** in forms'],
    ['an ampersand', '& more', '& more'],
    ['text after a flow list', '[BETA] Fills in forms', '[BETA] Fills in forms'],
    ['a flow list left open', '[BETA Fills in forms', '[BETA Fills in forms'],
    ['a template', '{{description}}', '{{description}}'],
    ['quotes inside quotes', '"Fills in "big" forms"', 'Fills in "big" forms'],
    ['an apostrophe inside apostrophes', "'Fills in Bob's forms'", "Fills in Bob's forms"],
    ['a block without its indent', '>\nFills in\nforms', 'Fills in forms'],
    ['a block indented by a tab', '|\n\tFills in forms', 'Fills in forms'],
  ])('%s', (_what, value, description) => {
    const text = withFields(`description: ${value}\nlicense: MIT`);
    expect(skillOf(text)).toMatchObject({
      name: 'pdf-forms',
      description,
      metadata: { license: 'MIT' },
    });
    expect(warningsOf(text)).toEqual(['yaml-repaired:3']);
  });

  it('keeps the entries beside it as they are', () => {
    const text = withFields(
      'description: Use when: asked\nallowed-tools: [Read, Bash]\nmetadata:\n  a: 1',
    );
    expect(skillOf(text).metadata).toEqual({
      'allowed-tools': ['Read', 'Bash'],
      metadata: { a: 1 },
    });
  });

  it('reads keys without a space after the colon', () => {
    const text = '---\nname:forms\ndescription:Fills in forms.\n---\n';
    expect(skillOf(text)).toMatchObject({ name: 'forms', description: 'Fills in forms.' });
    expect(warningsOf(text)).toEqual(['yaml-repaired:2', 'yaml-repaired:3']);
  });
});

describe('keys', () => {
  it('may be capitalised, with a warning', () => {
    const text = '---\nName: Forms\nDESCRIPTION: Fills in forms.\n---\n';
    expect(skillOf(text)).toMatchObject({
      name: 'Forms',
      description: 'Fills in forms.',
      metadata: {},
    });
    expect(warningsOf(text)).toEqual(['key-case:2', 'key-case:3']);
  });

  it('are the exact ones where both are there', () => {
    const text = withFields('description: Forms.\nName: Other');
    expect(skillOf(text)).toMatchObject({ name: 'pdf-forms', metadata: { Name: 'Other' } });
  });

  it('count where they are given last', () => {
    const text = withFields('description: First.\ndescription: Second.');
    expect(skillOf(text).description).toBe('Second.');
    expect(warningsOf(text)).toEqual(['duplicate-key:4']);
  });

  it('never reach a prototype', () => {
    const { metadata } = skillOf(
      withFields(
        'description: Forms.\n__proto__: {polluted: 1}\nmetadata:\n  __proto__: {polluted: 1}\n  a: 1',
      ),
    );
    expect(Object.getOwnPropertyNames(metadata)).toEqual(['metadata']);
    expect(Object.getOwnPropertyNames(metadata.metadata)).toEqual(['a']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('hostile YAML', () => {
  it('cannot multiply itself through aliases', () => {
    const level = (key: string, inner: string) =>
      `${key}: &${key} [${Array(9).fill(inner).join(', ')}]`;
    const bomb = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((key, index, keys) =>
      level(key, index === 0 ? 'lol' : `*${keys[index - 1]}`),
    );
    const { skill, warnings } = parse(withFields(`description: Forms.\n${bomb.join('\n')}`));
    expect(skill?.description).toBe('Forms.');
    expect(JSON.stringify(skill?.metadata).length).toBeLessThan(1000);
    expect(warnings.map(({ code }) => code)).toEqual(Array(8).fill('yaml-repaired'));
  });

  it('has its aliases taken as text', () => {
    const text = withFields('description: Forms.\na: &a [1]\nb: *a');
    expect(skillOf(text).metadata).toEqual({ a: [1], b: '*a' });
    expect(warningsOf(text)).toEqual(['yaml-repaired:5']);
  });

  it('cannot contain itself', () => {
    const text = withFields('description: Forms.\nloop: &loop [*loop]');
    expect(skillOf(text).metadata).toEqual({ loop: '&loop [*loop]' });
  });

  it.each(['[', '{', '- ', '? ', 'a: ', '[{a: '])('cannot exhaust the stack with %j', (opener) => {
    const text = withFields(`description: Forms.\ndeep: ${opener.repeat(1_000_000)}`);
    expect(skillOf(text).description).toBe('Forms.');
    expect(warningsOf(text)).toEqual(['yaml-repaired:4']);
  });

  it('is read entry by entry where it is longer than the parser is trusted with', () => {
    const keys = Array.from({ length: 8_000 }, (_, index) => `key${index}: [value]`);
    const text = withFields(`description: Forms.\n${keys.join('\n')}`);
    expect(Object.keys(skillOf(text).metadata)).toHaveLength(8_000);
    expect(skillOf(text).metadata.key7999).toEqual(['value']);
  });
});
