import { describe, expect, it } from 'vitest';
import { defaultModelFolder, readModelFolder } from '../../lib/models/model-folder.ts';
import { cutText, TextTokenizer } from '../../lib/models/tokenizer.ts';
import { tinyTokenizer, WORDS } from './tiny-model.ts';

function tiny(specials = true, config: object = {}, json: object = {}) {
  return new TextTokenizer({
    tokenizer: { ...tinyTokenizer(specials), ...json },
    tokenizerConfig: { unk_token: '[UNK]', pad_token: '[PAD]', ...config },
    tokenizerFiles: ['tokenizer.json'],
  });
}

const { red, green, blue } = WORDS;
const [cls, sep, unk] = [WORDS['[CLS]'], WORDS['[SEP]'], WORDS['[UNK]']];

describe('encode', () => {
  it('wraps a text in the special tokens', () => {
    expect([...tiny().encode('red blue', 8)]).toEqual([cls, red, blue, sep]);
  });

  it('cuts the text, never the special tokens', () => {
    expect([...tiny().encode('red green blue', 4)]).toEqual([cls, red, green, sep]);
    expect([...tiny().encode('red green blue', 3)]).toEqual([cls, red, sep]);
  });

  it('fits a text that fills the length exactly', () => {
    expect([...tiny().encode('red green', 4)]).toEqual([cls, red, green, sep]);
  });

  it('adds nothing where the model wants nothing', () => {
    expect([...tiny(false).encode('red green blue', 2)]).toEqual([red, green]);
    expect([...tiny(false).encode('', 2)]).toEqual([]);
  });

  it('encodes the empty text as the special tokens', () => {
    expect([...tiny().encode('', 8)]).toEqual([cls, sep]);
  });

  it('looks at 16 UTF-16 units per token wanted', () => {
    const late = `${' '.repeat(4 * 16 - 3)}red`;
    expect([...tiny().encode(late, 4)]).toEqual([cls, red, sep]);
    expect([...tiny().encode(` ${late}`, 4)]).toEqual([cls, unk, sep]);
  });
});

describe('an end token', () => {
  const ended = (endToken: string, specials = true) =>
    new TextTokenizer(
      {
        tokenizer: tinyTokenizer(specials),
        tokenizerConfig: {},
        tokenizerFiles: ['tokenizer.json'],
      },
      { endToken },
    );

  it('is added where the tokenizer does not, and only there', () => {
    expect([...ended('blue').encode('red', 8)]).toEqual([cls, red, sep, blue]);
    expect([...ended('[SEP]').encode('red', 8)]).toEqual([cls, red, sep]);
    expect([...ended('blue', false).encode('red red', 2)]).toEqual([red, blue]);
  });

  it('has to be in the vocabulary', () => {
    expect(() => ended('violet')).toThrow(expect.objectContaining({ code: 'ERR_MODEL_MISMATCH' }));
  });
});

describe('pairs', () => {
  it('are joined by the model’s own template', () => {
    expect(tiny().encodePair('red', 'green blue', 16)).toEqual({
      ids: Int32Array.of(cls, red, sep, green, blue, sep),
      types: Uint8Array.of(0, 0, 0, 1, 1, 1),
    });
  });

  it('need a tokenizer that joins them', () => {
    const template = { type: 'TemplateProcessing', single: [], pair: [], special_tokens: {} };
    const single = [{ Sequence: { id: 'A', type_id: 0 } }];
    const alone = tiny(false, {}, { post_processor: { ...template, single } });
    expect(() => alone.encodePair('red', 'blue', 16)).toThrow(
      expect.objectContaining({ code: 'ERR_MODEL_INVALID' }),
    );
  });
});

describe('what a tokenizer knows about itself', () => {
  it('counts special tokens and finds the largest id', () => {
    expect(tiny().specialTokenCount).toBe(2);
    expect(tiny(false).specialTokenCount).toBe(0);
    expect(tiny().largestId).toBe(blue);
  });

  it('finds the padding token by name, written either way, or by id', () => {
    expect(tiny(true, { pad_token: 'green' }).padId).toBe(green);
    expect(tiny(true, { pad_token: { content: 'green' } }).padId).toBe(green);
    expect(tiny(true, { pad_token: undefined }, { padding: { pad_id: red } }).padId).toBe(red);
    expect(tiny(true, { pad_token: null }).padId).toBe(0);
  });

  it('pads on the right unless a file says left', () => {
    expect(tiny().paddingSide).toBe('right');
    expect(tiny(true, { padding_side: 'left' }).paddingSide).toBe('left');
    expect(tiny(true, {}, { padding: { direction: 'Left' } }).paddingSide).toBe('left');
  });

  it('refuses a tokenizer.json that describes none', () => {
    expect(() => tiny(true, {}, { model: { type: 'Nonesuch' } })).toThrow(
      expect.objectContaining({
        code: 'ERR_MODEL_INVALID',
        message: expect.stringMatching(/tokenizer\.json: expected .*tokenizer.*Nonesuch/),
      }),
    );
  });
});

describe('cutText', () => {
  it('keeps a text that fits', () => {
    expect(cutText('abc', 3)).toBe('abc');
  });

  it('cuts by UTF-16 units', () => {
    expect(cutText('abcd', 3)).toBe('abc');
    expect(cutText('日本語中', 3)).toBe('日本語');
  });

  it('never halves a surrogate pair', () => {
    expect(cutText('ab🎉c', 3)).toBe('ab');
    expect(cutText('ab🎉c', 4)).toBe('ab🎉');
    expect(cutText('🎉', 1)).toBe('');
  });
});

describe('the tokenizer of bge-small', async () => {
  const tokenizer = new TextTokenizer(await readModelFolder(await defaultModelFolder()));

  it('gives the ids of the reference implementation', () => {
    // From Hugging Face's own (Rust) tokenizers; 100 is [UNK].
    expect([...tokenizer.encode('hello world 🎉 日本語', 16)]).toEqual([
      101, 7592, 2088, 100, 1864, 1876, 1950, 102,
    ]);
    expect(tokenizer.largestId).toBe(30521);
    expect([tokenizer.padId, tokenizer.paddingSide]).toEqual([0, 'right']);
  });

  it.each([
    ['prose', 'Extracts text from PDF files. '],
    ['CJK', '技能を選ぶ'],
    ['emoji', '🎉 🧪 '],
    ['long words', `${'x'.repeat(90)} `],
  ])('cuts half a megabyte of %s to the same ids as a short piece of it', (_kind, piece) => {
    const long = tokenizer.encode(piece.repeat(Math.ceil(500_000 / piece.length)), 256);
    const short = tokenizer.encode(piece.repeat(Math.ceil(20_000 / piece.length)), 256);
    expect(long).toHaveLength(256);
    expect(long).toEqual(short);
    expect(long.at(-1)).toBe(102);
  });
});
