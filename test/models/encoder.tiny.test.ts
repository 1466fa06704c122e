import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OnnxEncoder, type OnnxEncoderOptions } from '../../lib/models/encoder.ts';
import { TABLE, type TinyModel, tinyModel, tinyTokenizer, WORDS } from './tiny-model.ts';
import { tableBytes } from './tiny-onnx.ts';

const LEFT = { tokenizerConfig: { padding_side: 'left' } };

async function open(model: TinyModel, options: OnnxEncoderOptions = {}): Promise<OnnxEncoder> {
  const encoder = await OnnxEncoder.open({ ...options, model: await tinyModel(model) });
  onTestFinished(() => encoder.dispose());
  return encoder;
}

/** Rows of the encoder's answer, as plain arrays. */
async function encode(encoder: OnnxEncoder, texts: string[], kind: 'query' | 'document' = 'query') {
  const flat = [...(await encoder.encode(texts, { kind }))];
  return texts.map((_, i) => flat.slice(i * encoder.dim, (i + 1) * encoder.dim));
}

/** A unit vector, rounded as float32 is. */
function unit(...components: number[]): number[] {
  const norm = Math.hypot(...components);
  return components.map((component) => expect.closeTo(component / norm, 6));
}

describe('pooling', () => {
  const texts = ['red green green blue', 'red'];

  describe.each([
    ['right', {}],
    ['left', LEFT],
  ])('with %s padding', (_side, side) => {
    it.each([
      ['cls', unit(1, 0, 0), unit(1, 0, 0)],
      ['mean', unit(1, 2, 1), unit(1, 0, 0)],
      ['last', unit(0, 0, 1), unit(1, 0, 0)],
    ] as const)('%s', async (pooling, long, short) => {
      const encoder = await open({ ...side, specials: false }, { pooling });
      expect(await encode(encoder, texts)).toEqual([long, short]);
    });
  });

  it('counts the special tokens as tokens', async () => {
    const cls = await open({}, { pooling: 'cls' });
    const last = await open({}, { pooling: 'last' });
    expect(await encode(cls, ['red'])).toEqual([unit(0, 0, 1)]);
    expect(await encode(last, ['red'])).toEqual([unit(0, 1, 0)]);
  });

  it('is what the folder says, unless the caller says otherwise', async () => {
    const files = { '1_Pooling/config.json': '{"pooling_mode_lasttoken": true}' };
    const model = { files, specials: false };
    expect(await encode(await open(model), ['red blue'])).toEqual([unit(0, 0, 1)]);
    expect(await encode(await open(model, { pooling: 'cls' }), ['red blue'])).toEqual([
      unit(1, 0, 0),
    ]);
  });

  it('has to be said for a model that is no BERT', async () => {
    await expect(open({ config: { model_type: 'qwen3' } })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringMatching(/^pooling: expected one of cls, mean, last/),
    });
  });

  it('is left to a graph that does it', async () => {
    const graph = { output: 'sentence_embedding', pooled: true };
    const encoder = await open({ graph, specials: false });
    expect(await encode(encoder, ['red green', 'blue blue'])).toEqual([
      unit(1, 1, 0),
      unit(0, 0, 1),
    ]);
    await expect(open({ graph }, { pooling: 'cls' })).rejects.toMatchObject({
      code: 'ERR_MODEL_MISMATCH',
    });
  });
});

describe('what is fed', () => {
  // The table is looked up by another input than the ids, so the vectors show what that holds.
  const inputs = ['attention_mask', 'position_ids', 'token_type_ids', 'input_ids'];
  const texts = ['red', 'red green blue'];

  async function lookUpBy(gatherFrom: string, side: TinyModel, pooling: 'cls' | 'last') {
    const model = { ...side, specials: false, graph: { inputs, gatherFrom } };
    return encode(await open(model, { pooling }), texts);
  }

  it.each([
    ['right', {}],
    ['left', LEFT],
  ])('positions from a text’s own first token, with %s padding', async (_side, side) => {
    const [zero, two] = [unit(9, 9, 9), unit(0, 0, 2)];
    expect(await lookUpBy('position_ids', side, 'cls')).toEqual([zero, zero]);
    expect(await lookUpBy('position_ids', side, 'last')).toEqual([zero, two]);
  });

  it('a mask of ones on every token', async () => {
    // Row 1, which ones pick, is the axis of red here.
    const graph = {
      inputs,
      gatherFrom: 'attention_mask',
      table: [[0, 0, 1], ...TABLE.slice(4), ...TABLE.slice(4)],
    };
    const encoder = await open({ specials: false, graph }, { pooling: 'mean' });
    expect(await encode(encoder, texts)).toEqual([unit(1, 0, 0), unit(1, 0, 0)]);
  });

  it('segment 0 throughout', async () => {
    const graph = { inputs, gatherFrom: 'token_type_ids', table: [[0, 0, 1], ...TABLE.slice(1)] };
    const encoder = await open({ specials: false, graph }, { pooling: 'mean' });
    expect(await encode(encoder, texts)).toEqual([unit(0, 0, 1), unit(0, 0, 1)]);
  });

  it('nothing to an input of unknown name or type', async () => {
    await expect(open({ graph: { inputs: ['input_ids', 'pixel_values'] } })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringContaining('pixel_values'),
    });
    await expect(open({ graph: { inputType: 'int32' } })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringContaining('int32'),
    });
  });
});

describe('outputs', () => {
  it.each(['last_hidden_state', 'token_embeddings', 'anything_of_rank_3'])('%s', async (output) => {
    const encoder = await open({ specials: false, graph: { output } });
    expect(await encode(encoder, ['blue'])).toEqual([unit(0, 0, 1)]);
  });

  it('refuses a model with neither a known name nor rank 3', async () => {
    const graph = { output: 'logits', pooled: true };
    await expect(open({ graph })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringContaining('logits'),
    });
  });

  it('of half precision', async () => {
    const graph = {
      tableType: 'float16',
      table: [...TABLE.slice(0, 6), [-0.5, 0, 0.375]],
    } as const;
    const encoder = await open({ specials: false, graph });
    expect(await encode(encoder, ['blue'])).toEqual([unit(-0.5, 0, 0.375)]);
  });

  it('refuses other numbers', async () => {
    await expect(open({ graph: { tableType: 'float64' } })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringMatching(/output last_hidden_state: expected float32.*float64/),
    });
  });
});

describe('prompts and lengths', () => {
  it('puts each kind’s prompt before its texts, and cuts at the end', async () => {
    const encoder = await open(
      { specials: false },
      {
        pooling: 'mean',
        queryPrompt: 'red ',
        documentPrompt: 'blue ',
        queryTokens: 2,
        documentTokens: 3,
      },
    );
    expect(await encode(encoder, ['green green green'], 'query')).toEqual([unit(1, 1, 0)]);
    expect(await encode(encoder, ['green green green'], 'document')).toEqual([unit(0, 2, 1)]);
  });

  it('takes prompts from the folder', async () => {
    const files = { 'config_sentence_transformers.json': '{"prompts": {"query": "red "}}' };
    const encoder = await open({ specials: false, files }, { pooling: 'mean' });
    expect(await encode(encoder, ['blue'], 'query')).toEqual([unit(1, 0, 1)]);
    expect(await encode(encoder, ['blue'], 'document')).toEqual([unit(0, 0, 1)]);
  });

  it.each([
    { queryTokens: 17 },
    { documentTokens: 2 },
    { queryTokens: 3.5 },
    { threads: 0 },
    { threads: 1.5 },
  ])('refuses %o', async (options) => {
    await expect(open({}, options)).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
      message: expect.stringMatching(`^${Object.keys(options)[0]}: `),
    });
  });

  it.each([{ pooling: 'max' }, { queryPrompt: 7 }, { textView: null }])(
    'refuses %o',
    async (options) => {
      await expect(open({}, options as unknown as OnnxEncoderOptions)).rejects.toMatchObject({
        code: 'ERR_INVALID_ARGUMENT',
        message: expect.stringMatching(`^${Object.keys(options)[0]}: `),
      });
    },
  );
});

describe('parts that do not fit', () => {
  const rejection = (pattern: RegExp) => ({
    code: 'ERR_MODEL_MISMATCH',
    message: expect.stringMatching(pattern),
  });

  it('a tokenizer with more ids than config.json counts', async () => {
    const tokenizer = tinyTokenizer(true, { ...WORDS, violet: 7 });
    const files = { 'tokenizer.json': JSON.stringify(tokenizer) };
    await expect(open({ files })).rejects.toMatchObject(rejection(/below 7.* up to 7/));
  });

  it('a tokenizer with more ids than the model has rows', async () => {
    const graph = { table: TABLE.slice(0, 5) };
    await expect(open({ graph })).rejects.toMatchObject(
      rejection(/token ids, got: .*out of data bounds/),
    );
  });

  it('a model of another dimension than config.json says', async () => {
    const config = { hidden_size: 4 };
    await expect(open({ config })).rejects.toMatchObject(rejection(/2 × 2 × 4.* got 2 × 2 × 3/));
  });
});

describe('vectors without a direction', () => {
  const table = (row: number[]) => ({ table: [...TABLE.slice(0, 6), row] });

  it('are refused, naming the text', async () => {
    const zero = await open({ specials: false, graph: table([0, 0, 0]) });
    await expect(encode(zero, ['red', 'blue'])).rejects.toMatchObject({
      code: 'ERR_ZERO_VECTOR',
      message: expect.stringContaining('texts[1]'),
    });
    const nan = await open({ specials: false, graph: table([0, Number.NaN, 0]) });
    await expect(encode(nan, ['red', 'green', 'blue'])).rejects.toMatchObject({
      code: 'ERR_NOT_FINITE',
      message: expect.stringContaining('texts[2]'),
    });
  });

  it('include that of a text without tokens', async () => {
    const encoder = await open({ specials: false });
    await expect(encode(encoder, ['red', ''])).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining('texts[1]'),
    });
  });
});

describe('external weights', () => {
  const graph = { externalData: 'model.onnx_data' };

  it('are loaded, and count in the fingerprint', async () => {
    const folder = await tinyModel({ graph, files: { 'model.onnx_data': tableBytes(TABLE) } });
    const first = await OnnxEncoder.open({ model: folder, pooling: 'last' });
    expect(await encode(first, ['red'])).toEqual([unit(0, 1, 0)]);
    await first.dispose();

    const data = await readFile(path.join(folder, 'model.onnx_data'));
    await writeFile(path.join(folder, 'model.onnx_data'), data.fill(0, 0, 12));
    const second = await OnnxEncoder.open({ model: folder, pooling: 'last' });
    await second.dispose();
    expect(second.fingerprint).not.toBe(first.fingerprint);
  });

  it('that are missing are the model’s fault', async () => {
    await expect(open({ graph })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringContaining('model.onnx_data'),
    });
  });
});

describe('fingerprint', () => {
  const print = async (model: TinyModel = {}, options: OnnxEncoderOptions = {}) =>
    (await open(model, options)).fingerprint;

  it('is the same for the same files elsewhere, whatever the threads', async () => {
    expect(await print()).toMatch(/^[0-9a-f]{64}$/);
    expect(await print({}, { threads: 2 })).toBe(await print({}, { threads: 1 }));
  });

  it.each<[string, TinyModel, OnnxEncoderOptions?]>([
    ['model', { graph: { table: [...TABLE.slice(0, 6), [0, 1, 1]] } }],
    ['tokenizer', { specials: false }],
    ['tokenizer config', LEFT],
    ['pooling', {}, { pooling: 'mean' }],
    ['query prompt', {}, { queryPrompt: 'red ' }],
    ['document prompt', {}, { documentPrompt: 'red ' }],
    ['query length', {}, { queryTokens: 8 }],
    ['document length', {}, { documentTokens: 8 }],
    ['text view', {}, { textView: '2' }],
  ])('changes with the %s', async (_part, model, options) => {
    expect(await print(model, options)).not.toBe(await print());
  });
});
