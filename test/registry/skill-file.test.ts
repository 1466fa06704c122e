import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentHash } from '../../lib/registry/skill-file.ts';
import { parse, skillOf, skillText, warningsOf } from './helpers.ts';

const char = (codePoint: number) => String.fromCodePoint(codePoint);
const NUL = char(0);
const ZERO_WIDTH_SPACE = char(0x200b);
const RIGHT_TO_LEFT_OVERRIDE = char(0x202e);
const JOINER = char(0x200d);
const NON_JOINER = char(0x200c);

describe('a missing name', () => {
  it.each([
    ['absent', '---\ndescription: Forms.\n---\n', 'name-missing:2'],
    ['empty', '---\ndescription: Forms.\nname:\n---\n', 'name-missing:3'],
    ['blank', '---\nname: "  "\ndescription: Forms.\n---\n', 'name-missing:2'],
  ])('is the name of the folder: %s', (_how, text, warning) => {
    expect(skillOf(text).name).toBe('pdf-forms');
    expect(warningsOf(text)).toEqual([warning]);
  });

  it('is given on one line', () => {
    expect(skillOf('---\nname: |\n  PDF\n  forms\ndescription: x\n---\n').name).toBe('PDF forms');
  });
});

describe('a missing description', () => {
  const without = (body: string) => `---\nname: pdf-forms\n---\n${body}`;

  it.each([
    ['after a heading', '# Forms\n\nFill in\nforms.\n\nMore.', 'Fill in forms.'],
    ['right below a heading', '# Forms\nFill in forms.', 'Fill in forms.'],
    ['below an underlined heading', 'Forms\n=====\n\nFill in forms.', 'Fill in forms.'],
    ['after code', '```sh\n\nrm -r x\n```\nFill in forms.', 'Fill in forms.'],
    [
      'after a list and its continuation',
      '- one\n  two\nthree\n\nFill in forms.',
      'Fill in forms.',
    ],
    [
      'after quotes, tables, badges and HTML',
      '> q\n\n| a |\n\n![b](c)\n\n<p>\n\nFill in forms.',
      'Fill in forms.',
    ],
    ['in bold or a link', '**Fill** in [forms](x).', '**Fill** in [forms](x).'],
  ])('is the first paragraph of prose: %s', (_where, body, description) => {
    expect(skillOf(without(body)).description).toBe(description);
    expect(warningsOf(without(body))).toEqual(['description-missing:2']);
  });

  it('stays empty where the body has no prose', () => {
    expect(skillOf(without('# Forms\n\n- one')).description).toBe('');
    expect(warningsOf(without('# Forms\n\n- one'))).toEqual(['description-missing:2']);
  });

  it('is cut at 1,024 code points, never inside one', () => {
    const { description } = skillOf(without('😀'.repeat(2000)));
    expect(description).toBe('😀'.repeat(1024));
  });

  it('together with a missing body leaves no skill', () => {
    const { skill, warnings } = parse('\n---\nname: pdf-forms\n---\n \n');
    expect(skill).toBeUndefined();
    expect(warnings).toMatchObject([
      { code: 'empty-skill', line: 3, path: '/skills/pdf-forms/SKILL.md' },
    ]);
  });
});

it('without front matter takes both from elsewhere, with one warning', () => {
  expect(skillOf('# Forms\n\nFill in forms.')).toMatchObject({
    name: 'pdf-forms',
    description: 'Fill in forms.',
    body: '# Forms\n\nFill in forms.',
    metadata: {},
  });
  expect(warningsOf('# Forms\n\nFill in forms.')).toEqual(['no-front-matter:1']);
});

it.each(['../other/SKILL.md', './SKILL.md\n', '../../My Skills/pdf', 'AGENTS.md'])(
  'is no skill where the file holds only a path: %j',
  (text) => {
    expect(parse(text).skill).toBeUndefined();
    expect(warningsOf(text)).toEqual(['link-as-text:1']);
  },
);

describe('a long text', () => {
  const describing = (description: string) => `---\nname: x\ndescription: ${description}\n---\n`;

  it('is a description of more than 1,024 code points, kept whole', () => {
    expect(warningsOf(describing('😀'.repeat(1024)))).toEqual([]);
    expect(warningsOf(describing('😀'.repeat(1025)))).toEqual(['description-long:3']);
    expect(skillOf(describing('x'.repeat(3663))).description).toHaveLength(3663);
  });

  it('is a body of half a megabyte', () => {
    const body = 'All about forms.\n'.repeat(32_000).trimEnd();
    expect(skillOf(`${skillText('pdf-forms')}${body}`).body).toBe(`# pdf-forms\n${body}`);
  });
});

describe('characters', () => {
  it('that control are removed everywhere', () => {
    const text = `---\nname: p${NUL}df\ndescription: x\n---\nBo${NUL}${char(0x1b)}[31m${char(0x80)}dy\tend`;
    expect(skillOf(text)).toMatchObject({ name: 'pdf', body: 'Bo[31mdy\tend' });
    expect(parse(text).warnings).toMatchObject([
      { code: 'control-characters', line: 2, message: '4 control character(s) removed' },
    ]);
  });

  it('that control are removed where YAML spells them as escapes', () => {
    const text = '---\nname: x\ndescription: "Fills\\0 in\\u200B\\u001B forms"\n---\n';
    expect(skillOf(text).description).toBe('Fills in forms');
    expect(warningsOf(text)).toEqual(['control-characters:3', 'invisible-characters:3']);
  });

  it.each([
    ['zero-width spaces', ZERO_WIDTH_SPACE],
    ['bidirectional controls', RIGHT_TO_LEFT_OVERRIDE],
    ['tag characters', char(0xe0041)],
    ['joiners in Latin text', JOINER],
  ])('that cannot be seen are removed from name and description: %s', (_what, hidden) => {
    const text = `---\nname: p${hidden}df\ndescription: Fo${hidden}rms\n---\nBody`;
    expect(skillOf(text)).toMatchObject({ name: 'pdf', description: 'Forms' });
    expect(warningsOf(text)).toEqual(['invisible-characters:2', 'invisible-characters:3']);
  });

  it('that cannot be seen are reported in the body and left there', () => {
    const text = `---\nname: x\ndescription: y\n---\n\nBo${ZERO_WIDTH_SPACE}dy`;
    expect(skillOf(text).body).toBe(`Bo${ZERO_WIDTH_SPACE}dy`);
    expect(warningsOf(text)).toEqual(['invisible-characters:6']);
  });

  it('that join emoji or Persian letters are ordinary text', () => {
    const description = `👩${JOINER}💻 می${NON_JOINER}خواهم`;
    const text = `---\nname: x\ndescription: ${description}\n---\n`;
    expect(skillOf(text).description).toBe(description);
    expect(warningsOf(text)).toEqual([]);
  });

  it('that are no UTF-8 are replaced', () => {
    const text = Buffer.concat([Buffer.from(`${skillText('x')}Caf`), Buffer.from([0xe9, 0x0a])]);
    expect(skillOf(text).body).toBe('# x\nCaf\uFFFD');
    expect(warningsOf(text)).toEqual(['invalid-unicode:6']);
  });

  it('that are half a surrogate pair are replaced', () => {
    const text = '---\nname: x\ndescription: "half \\uD83D of one"\n---\n';
    expect(skillOf(text).description).toBe('half \uFFFD of one');
    expect(warningsOf(text)).toEqual(['invalid-unicode:3']);
  });

  it('are read from bytes as from text', () => {
    const text = `\uFEFF${skillText('表单')}填写 PDF 表单 😀`;
    expect(skillOf(Buffer.from(text))).toEqual(skillOf(text));
  });
});

describe('the content hash', () => {
  it('is the documented one', () => {
    const content = { name: 'x', description: 'Does x.', body: '# x' };
    const bytes = '["x","Does x.","# x"]';
    expect(contentHash(content)).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(skillOf(skillText('x')).contentHash).toBe(contentHash(content));
  });

  it('is the same for the same content written otherwise', () => {
    const other =
      '\uFEFF---\r\nlicense: MIT\r\ndescription: "Does x."\r\nname: x\r\n---\r\n\r\n# x\r\n\r\n';
    expect(skillOf(other).contentHash).toBe(skillOf(skillText('x')).contentHash);
  });

  it('tells where one part ends and the next begins', () => {
    const a = contentHash({ name: 'a b', description: 'c', body: '' });
    expect(a).not.toBe(contentHash({ name: 'a', description: 'b c', body: '' }));
  });
});

describe('for any input', () => {
  it('parsing does not throw, and gives a skill or a reason', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '---\n',
        'name: ',
        'description: ',
        '\n',
        '\r\n',
        '  ',
        '# ',
        '[',
        '{',
        '"',
        "'",
        '&a ',
        '*a',
      ),
      fc.constantFrom(
        '|\n',
        '>-\n',
        '- ',
        '...\n',
        '```\n',
        '<<: ',
        '!!set ',
        '__proto__: ',
        '%YAML 1.1\n',
        '\t',
      ),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          text.map((rest) => `---\n${rest}`),
        ),
        (source) => {
          const { skill, warnings } = parse(source);
          expect(skill !== undefined || warnings.length > 0).toBe(true);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('parsing bytes does not throw', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { skill, warnings } = parse(bytes);
        expect(skill !== undefined || warnings.length > 0).toBe(true);
      }),
    );
  });

  it('description and body come back as they were written', () => {
    const line = fc.string({ unit: 'grapheme' });
    const body = fc.array(line, { minLength: 1 }).map((lines) => `Body ${lines.join('\n')} end`);
    const description = line.map((text) => `About ${text} end`);
    fc.assert(
      fc.property(description, body, (description, body) => {
        const text = `---\nname: x\ndescription: ${JSON.stringify(description)}\n---\n${body}\n`;
        expect(skillOf(text)).toMatchObject({ name: 'x', description, body });
      }),
    );
  });

  it('an unquoted colon costs nothing', () => {
    const words = fc.stringMatching(/^[A-Za-z][A-Za-z ]{0,20}[a-z]$/);
    fc.assert(
      fc.property(words, words, words, (before, after, license) => {
        const description = `${before}: ${after}: it`;
        const text = `---\nname: x\ndescription: ${description}\nlicense: "${license}"\n---\n`;
        expect(skillOf(text)).toMatchObject({ description, metadata: { license } });
      }),
    );
  });
});
