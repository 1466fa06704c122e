import { createHash } from 'node:crypto';
import type { EmbeddingModel, embedMany } from 'ai';
import { unexpected } from '../errors.ts';
import { loadSdk } from '../load-sdk.ts';
import type { EncodeOptions, Encoder } from '../models/encoder.ts';
import { normalize } from '../models/pooling.ts';

type ProviderOptions = NonNullable<Parameters<typeof embedMany>[0]['providerOptions']>;

export interface EncodeWithOptions {
  /** What the provider is told with queries and with documents, such as an input type. */
  readonly providerOptions?: { readonly [Kind in EncodeOptions['kind']]?: ProviderOptions };
  /** How often a call is tried again. Default 2. */
  readonly maxRetries?: number;
}

/**
 * An encoder over any embedding model of the AI SDK (the optional peer `ai`). Its dimension is found by embedding
 * one word; its fingerprint covers provider, model, dimension and what the provider is told.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND` without the package; whatever the model throws.
 */
export async function encodeWith(
  model: EmbeddingModel,
  { providerOptions = {}, maxRetries = 2 }: EncodeWithOptions = {},
): Promise<Encoder> {
  const sdk = await loadSdk();
  const embed = async (values: string[], { kind, signal }: EncodeOptions) => {
    const told = providerOptions[kind];
    const { embeddings } = await sdk.embedMany({
      model,
      values,
      maxRetries,
      ...(told && { providerOptions: told }),
      ...(signal && { abortSignal: signal }),
    });
    return embeddings;
  };
  const [sample] = await embed(['skill'], { kind: 'document' });
  const dim = sample!.length;
  const id = typeof model === 'string' ? model : `${model.provider}/${model.modelId}`;
  const facts = JSON.stringify(['ai-sdk', id, dim, providerOptions]);

  return {
    dim,
    fingerprint: createHash('sha256').update(facts).digest('hex'),
    async encode(texts, options) {
      options.signal?.throwIfAborted();
      if (texts.length === 0) return new Float32Array(0);
      // Providers refuse the empty text.
      const embeddings = await embed(
        texts.map((text) => text || ' '),
        options,
      );
      const vectors = new Float32Array(texts.length * dim);
      for (const [i, embedding] of embeddings.entries()) {
        if (embedding.length !== dim) {
          throw unexpected('ERR_DIMENSION', `embedding ${i} of ${id}`, `${dim}`, embedding.length);
        }
        const vector = vectors.subarray(i * dim, (i + 1) * dim);
        vector.set(embedding);
        normalize(vector, `embedding ${i} of ${id}`);
      }
      options.onProgress?.(texts.length, texts.length);
      return vectors;
    },
    // The model is the caller's, who has nothing to free.
    dispose: async () => {},
  };
}

type SdkModel = Extract<EmbeddingModel, { readonly specificationVersion: 'v3' }>;

/**
 * Skillspan's encoder as an embedding model of the AI SDK, for `embed` and `embedMany`. It stays the caller's.
 * @param kind which prompt and length texts get. Default `document`.
 */
export function toEmbeddingModel(
  encoder: Encoder,
  kind: EncodeOptions['kind'] = 'document',
): SdkModel {
  return {
    specificationVersion: 'v3',
    provider: 'skillspan',
    modelId: `${kind}-${encoder.fingerprint.slice(0, 12)}`,
    maxEmbeddingsPerCall: undefined,
    supportsParallelCalls: true,
    async doEmbed({ values, abortSignal }) {
      const options = { kind, ...(abortSignal && { signal: abortSignal }) };
      const vectors = await encoder.encode(values, options);
      const row = (i: number) => vectors.subarray(i * encoder.dim, (i + 1) * encoder.dim);
      return { embeddings: values.map((_, i) => [...row(i)]), warnings: [] };
    },
  };
}
