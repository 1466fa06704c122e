import { describe, expect, it, onTestFinished } from 'vitest';
import { OnnxReranker, type OnnxRerankerOptions } from '../../lib/models/reranker.ts';
import { type TinyModel, tinyModel, tinyTokenizer, WORDS } from './tiny-model.ts';

// A word's logit is what it says itself; the words of both texts add up.
const TABLE = [[9], [1], [0], [0], [10], [200], [3000]];
const CLASSIFIER = {
  inputs: ['input_ids', 'attention_mask', 'token_type_ids'],
  weighBy: ['attention_mask'],
  sum: 'all',
  output: 'logits',
  table: TABLE,
} as const;
const ONE = { hidden_size: 1 };

async function open(model: TinyModel, options: Partial<OnnxRerankerOptions> = {}) {
  const reranker = await OnnxReranker.open({ ...options, model: await tinyModel(model) });
  onTestFinished(() => reranker.dispose());
  return reranker;
}

const score = async (reranker: OnnxReranker, documents: string[]) => [
  ...(await reranker.score('red', documents)),
];

describe('a classifier of pairs', () => {
  it('gives its one logit, in the order of the documents', async () => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE });
    const documents = ['green', 'blue blue', 'red', 'green'];
    expect(await score(reranker, documents)).toEqual([210, 6010, 20, 210]);
    expect(await score(reranker, [])).toEqual([]);
    expect(reranker.provider).toBe('cpu');
  });

  it.each([
    [{ 0: 'LABEL_0', 1: 'LABEL_1' }, -200],
    [{ 0: 'relevant', 1: 'not relevant' }, 200],
    [{ 0: 'no', 1: 'yes' }, -200],
  ])('gives the difference of two, as %o say', async (id2label, green) => {
    const table = TABLE.map(([value]) => [value!, 0]);
    const reranker = await open({ graph: { ...CLASSIFIER, table }, config: { id2label } });
    expect(await score(reranker, ['green'])).toEqual([green + Math.sign(green) * 10]);
  });

  it.each([
    ['two that nobody names', 2, undefined],
    ['two of neither meaning', 2, { 0: 'cats', 1: 'dogs' }],
    ['three', 3, { 0: 'a', 1: 'b', 2: 'yes' }],
  ])('does not guess with %s', async (_, classes, id2label) => {
    const table = TABLE.map(() => Array<number>(classes).fill(1));
    const model = { graph: { ...CLASSIFIER, table }, config: id2label ? { id2label } : {} };
    await expect(open(model)).rejects.toMatchObject({
      code: 'ERR_MODEL_MISMATCH',
      message: expect.stringMatching(/id2label/),
    });
  });

  it('keeps half of the room for the document, however long the request', async () => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE }, { tokens: 9 });
    const long = 'red '.repeat(20);
    expect([...(await reranker.score(long, ['green '.repeat(20)]))]).toEqual([3 * 10 + 3 * 200]);
    expect([...(await reranker.score(long, ['green']))]).toEqual([5 * 10 + 200]);
  });

  it('takes the words of its own tokens in a document for words', async () => {
    const added_tokens = [
      { id: WORDS.blue, content: 'blue', special: true, normalized: false },
    ].map((token) => ({ ...token, single_word: false, lstrip: false, rstrip: false }));
    const files = { 'tokenizer.json': JSON.stringify({ ...tinyTokenizer(), added_tokens }) };
    const reranker = await open({ graph: CLASSIFIER, config: ONE, files });
    // "b lue" is two unknown words.
    expect(await score(reranker, ['blue'])).toEqual([10 + 2]);
  });

  it('refuses a language model that no preset tells how to ask', async () => {
    const graph = { ...CLASSIFIER, sum: 'so far' } as const;
    await expect(open({ graph, config: ONE })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringMatching(/^preset: /),
    });
  });

  it('refuses a model without logits', async () => {
    await expect(open({})).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringMatching(/one named logits.*last_hidden_state/),
    });
  });
});

describe('calls', () => {
  it('tell each logit as soon as it is there', async () => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE });
    const told: [number, number][] = [];
    await reranker.score('red', ['green', 'red'], { onScore: (...call) => told.push(call) });
    expect(told.sort()).toEqual([
      [0, 210],
      [1, 20],
    ]);
  });

  it('stop with the reason of the signal', async () => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE });
    const reason = new Error('too late');
    const pending = reranker.score('red', ['red'], { signal: AbortSignal.abort(reason) });
    await expect(pending).rejects.toBe(reason);
    const controller = new AbortController();
    const documents = Array.from({ length: 500 }, (_, i) => 'red '.repeat(1 + (i % 9)));
    const cut = reranker.score('red', documents, {
      signal: controller.signal,
      onScore: () => controller.abort(reason),
    });
    await expect(cut).rejects.toBe(reason);
  });

  it('reject after disposal', async () => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE });
    await reranker.dispose();
    await expect(reranker.score('red', ['red'])).rejects.toMatchObject({ code: 'ERR_DISPOSED' });
  });

  it.each([
    ['request', 7, ['a']],
    ['documents', 'a', 'b'],
    ['documents[1]', 'a', ['b', null]],
  ])('name a bad %s', async (name, request, documents) => {
    const reranker = await open({ graph: CLASSIFIER, config: ONE });
    const call = reranker.score(request as string, documents as string[]);
    await expect(call).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining(`${name}: expected`),
    });
  });

  it('refuse a logit that is no number', async () => {
    const table = TABLE.map((row, id) => (id === WORDS.green ? [Number.NaN] : row));
    const reranker = await open({ graph: { ...CLASSIFIER, table }, config: ONE });
    await expect(score(reranker, ['green'])).rejects.toMatchObject({ code: 'ERR_NOT_FINITE' });
  });

  it.each([
    [{ tokens: 7 }, 'ERR_OUT_OF_RANGE'],
    [{ tokens: 17 }, 'ERR_OUT_OF_RANGE'],
    [{ deadline: -1 }, 'ERR_OUT_OF_RANGE'],
    [{ instruction: 3 }, 'ERR_INVALID_ARGUMENT'],
    [{ preset: 'bge-m3' }, 'ERR_INVALID_ARGUMENT'],
    [{ dtype: 'bf16' }, 'ERR_INVALID_ARGUMENT'],
  ])('refuse %o', async (options, code) => {
    const model = { graph: CLASSIFIER, config: ONE };
    await expect(open(model, options as Partial<OnnxRerankerOptions>)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(`^${Object.keys(options)[0]}: `),
    });
  });
});

describe('a decoder with a cache', () => {
  it('is given an empty one, keeps the last logits, and shares runs only between equal lengths', async () => {
    const words = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'yes', 'no', 'red'];
    const vocab = Object.fromEntries(words.map((word, id) => [word, id]));
    // Padding would count if there were any.
    const table = words.map((word) =>
      words.map((_, d) => (d === 4 ? Number(word === 'red') : word === '[PAD]' ? 99 : 0)),
    );
    const model: TinyModel = {
      graph: { table, sum: 'so far', output: 'logits', decoder: true },
      config: { hidden_size: 7, max_position_embeddings: 900 },
      files: { 'tokenizer.json': JSON.stringify(tinyTokenizer(false, vocab)) },
    };
    const reranker = await open(model, { preset: 'qwen3-reranker-0.6b' });
    expect(await score(reranker, ['red red', 'red', 'red red red'])).toEqual([3, 2, 4]);
  });
});
