import { embed, embedMany } from 'ai';
import { MockEmbeddingModelV3 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { encodeWith, toEmbeddingModel } from '../../lib/ai/index.ts';
import { WordEncoder } from '../support/word-encoder.ts';

/** A model whose vector of a text is its length and 1. */
function lengths(
  options: { modelId?: string; perCall?: number; width?: (text: string) => number } = {},
) {
  const { modelId = 'lengths', perCall = 2, width = () => 2 } = options;
  return new MockEmbeddingModelV3({
    provider: 'test',
    modelId,
    maxEmbeddingsPerCall: perCall,
    doEmbed: async ({ values }) => ({
      embeddings: values.map((text) =>
        Array.from({ length: width(text) }, (_, d) => (d ? 1 : text.length)),
      ),
      warnings: [],
    }),
  });
}

describe('an embedding model as an encoder', () => {
  it('gives unit vectors in the order of the texts, in calls as large as the model takes', async () => {
    const model = lengths();
    const encoder = await encodeWith(model);
    expect(encoder.dim).toBe(2);
    const vectors = await encoder.encode(['abc', 'a', ''], { kind: 'query' });
    const row = (a: number, b: number) => [a / Math.hypot(a, b), b / Math.hypot(a, b)];
    expect([...vectors]).toEqual(
      [...row(3, 1), ...row(1, 1), ...row(1, 1)].map((value) => expect.closeTo(value, 6)),
    );
    expect(model.doEmbedCalls.map(({ values }) => values.length)).toEqual([1, 2, 1]);
    expect(await encoder.encode([], { kind: 'query' })).toHaveLength(0);
  });

  it('has a fingerprint of its provider, model, dimension and what the provider is told', async () => {
    const print = async (...args: Parameters<typeof encodeWith>) =>
      (await encodeWith(...args)).fingerprint;
    const plain = await print(lengths());
    expect(plain).toMatch(/^[0-9a-f]{64}$/);
    expect(await print(lengths())).toBe(plain);
    expect(await print(lengths({ modelId: 'other' }))).not.toBe(plain);
    expect(await print(lengths({ width: () => 3 }))).not.toBe(plain);
    const told = { providerOptions: { query: { test: { inputType: 'query' } } } };
    expect(await print(lengths(), told)).not.toBe(plain);
  });

  it('tells the provider of what kind a text is', async () => {
    const model = lengths();
    const encoder = await encodeWith(model, {
      providerOptions: { query: { test: { inputType: 'search_query' } } },
    });
    await encoder.encode(['a'], { kind: 'query' });
    await encoder.encode(['a'], { kind: 'document' });
    expect(model.doEmbedCalls.map(({ providerOptions }) => providerOptions?.test)).toEqual([
      undefined,
      { inputType: 'search_query' },
      undefined,
    ]);
  });

  it('refuses a vector of another length, or without a direction', async () => {
    const encoder = await encodeWith(lengths({ width: (text) => (text === 'odd' ? 3 : 2) }));
    await expect(encoder.encode(['a', 'odd'], { kind: 'query' })).rejects.toMatchObject({
      code: 'ERR_DIMENSION',
    });
    const zero = await encodeWith(lengths({ width: () => 1 }));
    const nothing = new MockEmbeddingModelV3({ doEmbed: { embeddings: [[0]], warnings: [] } });
    expect(zero.dim).toBe(1);
    await expect(
      (await encodeWith(nothing)).encode(['a'], { kind: 'query' }),
    ).rejects.toMatchObject({ code: 'ERR_ZERO_VECTOR' });
  });

  it('stops with the reason of the signal', async () => {
    const encoder = await encodeWith(lengths());
    const signal = AbortSignal.abort(new Error('too late'));
    await expect(encoder.encode(['a'], { kind: 'query', signal })).rejects.toThrow('too late');
  });
});

describe('an encoder as an embedding model', () => {
  it('serves embed and embedMany', async () => {
    const encoder = new WordEncoder();
    const model = toEmbeddingModel(encoder, 'query');
    const { embedding } = await embed({ model, value: 'red green' });
    const { embeddings } = await embedMany({ model, values: ['red green', 'blue'] });
    expect(embedding).toEqual([...(await encoder.encode(['red green']))]);
    expect(embeddings).toEqual([embedding, [...(await encoder.encode(['blue']))]]);
    expect(model).toMatchObject({
      provider: 'skillspan',
      modelId: expect.stringMatching(/^query-/),
    });
  });
});
