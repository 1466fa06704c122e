/** Models of the AI SDK (the optional peer `ai`) as parts of the router. */
export { type DecomposerOptions, decomposeWith } from './decompose.ts';
export { type EncodeWithOptions, encodeWith, toEmbeddingModel } from './encode.ts';
export { type RankWithOptions, rankWith } from './rank.ts';
export { type RerankWithOptions, rerankWith } from './rerank.ts';
