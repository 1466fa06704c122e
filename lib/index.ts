export { nativeInfo } from './backend.ts';
export type {
  BackendInfo,
  Exactness,
  Facets,
  LexicalHits,
  LexicalModel,
  Method,
  Overlaps,
  RoutedQuery,
  SearchResult,
  Selection,
} from './contract.ts';
export { type ErrorCode, SkillspanError } from './errors.ts';
export {
  bitmapOf,
  LexicalIndex,
  type LexicalIndexOptions,
  type LexicalQuery,
  type LexicalSearchOptions,
  type TermWeights,
} from './lexical-index.ts';
export {
  type EncodeOptions,
  type Encoder,
  OnnxEncoder,
  type OnnxEncoderOptions,
} from './models/encoder.ts';
export { PRESETS, type Preset } from './models/presets.ts';
export {
  OnnxReranker,
  type OnnxRerankerOptions,
  type Reranker,
  type RerankOptions,
} from './models/reranker.ts';
export type { SkillCaps } from './models/text-form.ts';
export {
  type Registry,
  type RegistryWarning,
  readRegistry,
  type Skill,
} from './registry/registry.ts';
export type { Location, StoredSkill } from './registry/store/stored-skill.ts';
export type { SyncReport } from './registry/sync-report.ts';
export type { Filter } from './routing/filter.ts';
export { DEFAULT_SETTINGS, type Settings } from './routing/recipe.ts';
export { SkillRouter } from './routing/router.ts';
export type {
  KeptOut,
  MemoryRouterOptions,
  OpenReport,
  RouteOptions,
  RouteResult,
  RouterOptions,
  RouteTrace,
  ShortlistedSkill,
  TracedCandidate,
  WatchOptions,
} from './routing/types.ts';
export { type SelectInput, selectDiverse, selectDiverseAsync } from './select.ts';
export { countTerms, type Field, tokenize } from './tokenize.ts';
export {
  type IndexRouteOptions,
  type OpenIndexOptions,
  type PoolInput,
  VectorIndex,
  type VectorIndexOptions,
  type VectorSearchOptions,
} from './vector-index.ts';
