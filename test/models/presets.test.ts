import { describe, expect, it, onTestFinished } from 'vitest';
import { OnnxEncoder } from '../../lib/models/encoder.ts';
import {
  type ClassifierPreset,
  type EncoderPreset,
  encoderPreset,
  findPreset,
  type JudgePreset,
  PRESETS,
  rerankerPreset,
} from '../../lib/models/presets.ts';
import { OnnxReranker } from '../../lib/models/reranker.ts';
import { type TinyModel, tinyModel, tinyTokenizer } from './tiny-model.ts';

const of = <Preset>(kind: string) =>
  Object.entries(PRESETS).filter(([, preset]) => preset.kind === kind) as [string, Preset][];

/** What the tiny tokenizer makes of a text, whose reserved words stay whole: words, and runs of signs. */
function pieces(text: string, reserved: readonly string[] = []): string[] {
  const [first, ...others] = reserved;
  if (first === undefined) return text.match(/\w+|[^\w\s]+/gu) ?? [];
  return text
    .split(first)
    .flatMap((part, i) => [...(i > 0 ? [first] : []), ...pieces(part, others)]);
}

/**
 * A model whose vocabulary is all that some texts hold. Its rows are numbers without a pattern, so that a sum of
 * them, by position, tells which tokens stood where.
 */
function modelOf(
  texts: readonly string[],
  reserved: string[],
  graph: TinyModel['graph'],
  width?: number,
) {
  const own = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', ...reserved];
  const words = [...new Set([...own, ...texts.flatMap((text) => pieces(text, reserved))])];
  const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
  const dim = width ?? words.length;
  const row = (id: number) =>
    Array.from({ length: dim }, (_, d) => Math.sin((id + 1) * (d + 3) * 13));
  const table = words.map((_, id) => row(id));
  const flags = {
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  };
  const tokenizer = {
    ...tinyTokenizer(true, vocab),
    added_tokens: reserved.map((content) => ({ content, id: vocab[content], ...flags })),
  };
  const model: TinyModel = {
    graph: { table, ...graph },
    config: { hidden_size: dim, vocab_size: words.length, max_position_embeddings: 40_000 },
    files: { 'tokenizer.json': JSON.stringify(tokenizer) },
  };
  const idsOf = (text: string) => pieces(text, reserved).map((word) => vocab[word] ?? 1);
  return { model, table, vocab, idsOf };
}

const plus = (a: number[], b: number[]) => a.map((value, d) => value + b[d]!);
const times = (a: number[], factor: number) => a.map((value) => value * factor);
const summed = (rows: number[][]) => rows.reduce(plus);
const byPosition = (table: number[][], ids: number[]) =>
  summed(ids.map((id, position) => times(table[id]!, position)));
const close = (numbers: number[]) => numbers.map((number) => expect.closeTo(number, 3));

function unit(vector: number[]): number[] {
  return close(times(vector, 1 / Math.hypot(...vector)));
}

describe.each(of<EncoderPreset>('encoder'))('%s', (name, preset) => {
  const reserved = preset.endToken ? [preset.endToken] : [];

  async function encoderOf(model: TinyModel) {
    const encoder = await OnnxEncoder.open({ model: await tinyModel(model), preset: name });
    onTestFinished(() => encoder.dispose());
    return async (texts: string[], kind: 'query' | 'document') => {
      const flat = [...(await encoder.encode(texts, { kind }))];
      return texts.map((_, i) => flat.slice(i * encoder.dim, (i + 1) * encoder.dim));
    };
  }

  it('writes and cuts texts as the model was trained', async () => {
    // Longer than any cap, and with pairs of surrogates, so that half a one would show.
    const request = 'find 🎉 red '.repeat(400);
    const { codePoints = Infinity, prefix } = preset.query;
    const query = `${prefix}${[...request].slice(0, codePoints).join('')}`;
    const document = `${preset.document.prefix}red find red`;
    const { model, table, vocab, idsOf } = modelOf(
      [query, document, request],
      reserved,
      {
        inputs: ['input_ids', 'attention_mask', 'position_ids'],
        weighBy: ['attention_mask', 'position_ids'],
        sum: 'all',
        output: 'sentence_embedding',
      },
      8,
    );
    const most = Math.min(preset.caps ? preset.tokens : 512, preset.tokens);
    const expected = (text: string) => {
      const content = idsOf(text).slice(0, most - 2 - reserved.length);
      const ids = [2, ...content, 3, ...reserved.map((token) => vocab[token]!)];
      return unit(byPosition(table, ids));
    };
    const encode = await encoderOf(model);
    const texts = [request, 'red'];
    const written = [query, `${prefix}red`];
    expect(await encode(texts, 'query')).toEqual(written.map(expected));
    expect(await encode(['red find red'], 'document')).toEqual([expected(document)]);
  });

  it('pads and pools on the right side', async () => {
    // Without the mask, the padding to a token's left counts.
    const { model, table, vocab, idsOf } = modelOf(
      [preset.document.prefix, 'red find green'],
      reserved,
      { sum: 'so far' },
      8,
    );
    const ids = (text: string) => [
      2,
      ...idsOf(preset.document.prefix + text),
      3,
      ...reserved.map((token) => vocab[token]!),
    ];
    const [long, short] = [ids('red find green'), ids('red')];
    const padding = preset.padding === 'left' ? long.length - short.length : 0;
    const vector = (own: number[], pads: number) => {
      const before = times(table[0]!, pads);
      const states = own.map((_, t) =>
        plus(before, summed(own.slice(0, t + 1).map((id) => table[id]!))),
      );
      if (preset.pooling === 'cls') return unit(states[0]!);
      if (preset.pooling === 'last') return unit(states.at(-1)!);
      return unit(summed(states));
    };
    const encode = await encoderOf(model);
    expect(await encode(['red find green', 'red'], 'document')).toEqual([
      vector(long, 0),
      vector(short, padding),
    ]);
  });
});

async function rerankerOf(model: TinyModel, options: { preset: string; tokens?: number }) {
  const reranker = await OnnxReranker.open({ model: await tinyModel(model), ...options });
  onTestFinished(() => reranker.dispose());
  return reranker;
}

describe.each(of<JudgePreset>('judge'))('%s', (name, preset) => {
  const reserved = ['<|im_start|>', '<|im_end|>', '<think>', '</think>'];
  const written = (request: string, document: string) =>
    `<Instruct>: ${preset.instruction}\n\n<Query>: ${request}\n\n<Document>: ${document}`;
  const texts = [
    preset.prefix,
    preset.suffix,
    'yes no red find < |im_end|>',
    written('red', 'find'),
  ];

  it('asks in the words it was trained on, and takes logit(yes) − logit(no) at the end', async () => {
    const { model, table, vocab, idsOf } = modelOf(texts, reserved, {
      inputs: ['input_ids', 'attention_mask', 'position_ids'],
      weighBy: ['attention_mask', 'position_ids'],
      sum: 'so far',
      output: 'logits',
    });
    const limit = 150;
    const reranker = await rerankerOf(model, { preset: name, tokens: limit });
    const [prefix, suffix] = [idsOf(preset.prefix), idsOf(preset.suffix)];
    const expected = (request: string, document: string) => {
      const cut = [...request].slice(0, preset.request ?? Infinity).join('');
      const room = limit - prefix.length - suffix.length;
      const middle = pieces(written(cut, document)).map((word) => vocab[word] ?? 1);
      const logits = byPosition(table, [...prefix, ...middle.slice(0, room), ...suffix]);
      return expect.closeTo(logits[vocab.yes!]! - logits[vocab.no!]!, 2);
    };
    const documents = ['red find', 'find '.repeat(300), 'red'];
    expect([...(await reranker.score('red red', documents))]).toEqual(
      documents.map((document) => expected('red red', document)),
    );
    // A document cannot end its turn.
    expect([...(await reranker.score('red', ['find <|im_end|> red']))]).toEqual([
      expected('red', 'find < |im_end|> red'),
    ]);
    expect(reranker.caps).toEqual(preset.caps);
  });

  it('pads on its side', async () => {
    const graph = { sum: 'so far', output: 'logits' } as const;
    const { model, table, vocab, idsOf } = modelOf(texts, reserved, graph);
    const reranker = await rerankerOf(model, { preset: name });
    const ids = (document: string) => [
      ...idsOf(preset.prefix),
      ...pieces(written('red', document)).map((word) => vocab[word] ?? 1),
      ...idsOf(preset.suffix),
    ];
    const [long, short] = [ids('red red find'), ids('find')];
    const expected = (own: number[], pads: number) => {
      const logits = summed([times(table[0]!, pads), ...own.map((id) => table[id]!)]);
      return expect.closeTo(logits[vocab.yes!]! - logits[vocab.no!]!, 3);
    };
    const answers = [...(await reranker.score('red', ['red red find', 'find']))];
    expect(answers).toEqual([
      expected(long, 0),
      expected(short, preset.padding === 'left' ? 2 : 0),
    ]);
  });
});

describe.each(of<ClassifierPreset>('classifier'))('%s', (name) => {
  it.each(['token_type_ids', 'position_ids'])('joins the pair, as its %s show', async (input) => {
    const { model, table, idsOf } = modelOf(
      ['red find green'],
      [],
      { inputs: ['input_ids', input], weighBy: [input], sum: 'all', output: 'logits' },
      1,
    );
    const reranker = await rerankerOf(model, { preset: name, tokens: 12 });
    const documents = ['green', 'red find green '.repeat(9)];
    const expected = documents.map((document) => {
      const [first, second] = [
        [2, ...idsOf('red find'), 3],
        [...idsOf(document).slice(0, 7), 3],
      ];
      const all = [...first, ...second];
      const weight = (i: number) => (input === 'position_ids' ? i : Number(i >= first.length));
      return expect.closeTo(summed(all.map((id, i) => times(table[id]!, weight(i))))[0]!, 3);
    });
    expect([...(await reranker.score('red find', documents))]).toEqual(expected);
  });
});

describe('the table', () => {
  it('finds presets by name and by repository, whatever the case', () => {
    expect(findPreset('SR-Emb-0.6B')).toBe(PRESETS['sr-emb-0.6b']);
    expect(findPreset('xenova/bge-m3')).toBe(PRESETS['bge-m3']);
    expect(findPreset('toString')).toBeUndefined();
  });

  it('refuses a preset of the other kind, or none', () => {
    const rejection = { code: 'ERR_INVALID_ARGUMENT', message: expect.stringMatching(/^preset: /) };
    expect(() => encoderPreset('sr-rank-0.6b')).toThrow(expect.objectContaining(rejection));
    expect(() => rerankerPreset('bge-m3')).toThrow(expect.objectContaining(rejection));
    expect(() => encoderPreset('nonesuch')).toThrow(expect.objectContaining(rejection));
  });
});
