import type { RerankingModel } from 'ai';
import { unexpected } from '../errors.ts';
import { loadSdk } from '../load-sdk.ts';
import type { Reranker } from '../models/reranker.ts';

export interface RerankWithOptions {
  /** What the model's scores are; those of hosted rerankers are probabilities. Default `probability`. */
  readonly scores?: 'probability' | 'logit';
  /** How often a call is tried again. Default 2. */
  readonly maxRetries?: number;
}

/** A probability of 0 or 1 is taken to be this near to it. */
const NEAREST = 1e-6;

/**
 * A reranker over any reranking model of the AI SDK (the optional peer `ai`): Cohere, Jina, Voyage and their like.
 */
export function rerankWith(
  model: RerankingModel,
  { scores = 'probability', maxRetries = 2 }: RerankWithOptions = {},
): Reranker {
  return {
    async score(request, documents, { signal, onScore } = {}) {
      signal?.throwIfAborted();
      const logits = new Float32Array(documents.length);
      if (documents.length === 0) return logits;
      const { rerank } = await loadSdk();
      const { ranking } = await rerank({
        model,
        query: request,
        documents: [...documents],
        maxRetries,
        ...(signal && { abortSignal: signal }),
      });
      if (new Set(ranking.map(({ originalIndex }) => originalIndex)).size !== documents.length) {
        const expected = `a score for each of ${documents.length} documents`;
        throw unexpected('ERR_MODEL_INVALID', 'reranking model', expected, ranking.length);
      }
      for (const { originalIndex, score } of ranking) {
        const logit = scores === 'logit' ? score : toLogit(score);
        logits[originalIndex] = logit;
        onScore?.(originalIndex, logit);
      }
      return logits;
    },
    dispose: async () => {},
  };
}

function toLogit(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) {
    const expected = "a probability from 0 to 1 (or `scores: 'logit'`)";
    throw unexpected('ERR_OUT_OF_RANGE', 'score of the reranking model', expected, probability);
  }
  const inside = Math.min(Math.max(probability, NEAREST), 1 - NEAREST);
  return Math.log(inside / (1 - inside));
}
