import { describe, expect, it } from 'vitest';
import { skillOf, skillText, warningsOf } from './helpers.ts';

const FIELDS = 'name: pdf-forms\ndescription: Fills in PDF forms.';

describe('front matter is found', () => {
  it.each([
    ['plainly', `---\n${FIELDS}\n---\nBody`],
    ['after a byte order mark', `\uFEFF---\n${FIELDS}\n---\nBody`],
    ['after blank lines', `\n  \n---\n${FIELDS}\n---\nBody`],
    ['with white space after its delimiters', `--- \t\n${FIELDS}\n---  \nBody`],
    ['with Windows line ends', `---\n${FIELDS}\n---\nBody`.replaceAll('\n', '\r\n')],
    ['with mixed line ends', `---\r\n${FIELDS}\n---\r\nBody\n`],
    ['closed by three dots', `---\n${FIELDS}\n...\nBody`],
    ['with blank and comment lines inside', `---\n\n# who\n${FIELDS}\n\n# end\n---\nBody`],
  ])('%s', (_how, text) => {
    const skill = skillOf(text);
    expect([skill.name, skill.description, skill.body]).toEqual([
      'pdf-forms',
      'Fills in PDF forms.',
      'Body',
    ]);
    expect(warningsOf(text)).toEqual([]);
  });

  it('with a list after a comment', () => {
    const text = `---\n${FIELDS}\ntags:\n# most used first\n- pdf\n- forms\n---\nBody`;
    expect(skillOf(text)).toMatchObject({ body: 'Body', metadata: { tags: ['pdf', 'forms'] } });
  });

  it('closed at the end of the file', () => {
    expect(skillOf(`---\n${FIELDS}\n---`).body).toBe('');
  });
});

describe('the body', () => {
  it('keeps its rules', () => {
    const body = 'One\n\n---\n\nTwo\n\n...\n\n---';
    expect(skillOf(`---\n${FIELDS}\n---\n${body}\n`).body).toBe(body);
  });

  it('loses only blank lines before it and white space after it', () => {
    expect(skillOf(`---\n${FIELDS}\n---\n\n  \n    code\n\n`).body).toBe('    code');
  });

  it('keeps a second block of front matter, with a warning', () => {
    const text = `---\n${FIELDS}\n---\n\n---\nname: other\n---\nBody`;
    expect(skillOf(text).body).toBe('---\nname: other\n---\nBody');
    expect(warningsOf(text)).toEqual(['front-matter-repeated:6']);
  });

  it('is everything where text stands before the block', () => {
    const text = `Copyright us.\n\n${skillText('web')}`;
    expect(skillOf(text).body).toBe(text.trimEnd());
    expect(warningsOf(text)).toEqual(['text-before-front-matter:3']);
  });

  it('is everything where the block is an example inside a fence', () => {
    const text = `Write skills so:\n\n\`\`\`\n${skillText('web')}\`\`\`\n`;
    expect(warningsOf(text)).toEqual(['no-front-matter:1']);
  });

  it('is everything where the text begins with a rule and prose', () => {
    const text = '---\n\nFills in forms\n\n---\n\nMore';
    expect(skillOf(text)).toMatchObject({ body: text, description: 'Fills in forms' });
    expect(warningsOf(text)).toEqual(['no-front-matter:1']);
  });

  it('is everything where the block holds no fields', () => {
    const text = '---\njust prose\n---\nMore';
    expect(skillOf(text).body).toBe(text);
    expect(warningsOf(text)).toEqual(['front-matter-not-a-mapping:2']);
  });
});

describe('front matter that is not closed', () => {
  it('ends before the Markdown that follows it', () => {
    const text = `---\n${FIELDS}\n\n# Forms\n\nFill them in.\n\n- first`;
    expect(skillOf(text)).toMatchObject({
      name: 'pdf-forms',
      description: 'Fills in PDF forms.',
      body: '# Forms\n\nFill them in.\n\n- first',
    });
    expect(warningsOf(text)).toEqual(['front-matter-unclosed:1']);
  });

  it('does not run on to a rule in the body', () => {
    const text = `---\n${FIELDS}\n\n# Forms\n\nFill them in.\n\n---\n\nEnd`;
    expect(skillOf(text).body).toBe('# Forms\n\nFill them in.\n\n---\n\nEnd');
  });

  it('does not own a list below a heading', () => {
    const text = `---\n${FIELDS}\n\n# Steps\n\n- first\n- second`;
    expect(skillOf(text).body).toBe('# Steps\n\n- first\n- second');
  });

  it('does not own what looks like a key below a heading', () => {
    const text = `---\n${FIELDS}\n\n# Forms\n\nNote: ask first.\n\nThen fill them in.`;
    expect(skillOf(text).body).toBe('# Forms\n\nNote: ask first.\n\nThen fill them in.');
  });

  it('may be the whole file', () => {
    expect(skillOf(`---\n${FIELDS}`)).toMatchObject({ name: 'pdf-forms', body: '' });
  });
});
