export { nativeInfo } from './backend.ts';
export type {
  BackendInfo,
  Method,
  Overlaps,
  RoutedQuery,
  SearchResult,
  Selection,
} from './contract.ts';
export { type ErrorCode, SkillspanError } from './errors.ts';
export {
  type EncodeOptions,
  type Encoder,
  OnnxEncoder,
  type OnnxEncoderOptions,
} from './models/encoder.ts';
export {
  type Registry,
  type RegistryWarning,
  readRegistry,
  type Skill,
} from './registry/registry.ts';
export { SkillRouter } from './routing/router.ts';
export type {
  KeptOut,
  OpenReport,
  RouteOptions,
  RouteResult,
  RouterOptions,
  RouteTrace,
  ShortlistedSkill,
  TracedCandidate,
} from './routing/types.ts';
export { type SelectInput, selectDiverse, selectDiverseAsync } from './select.ts';
export { type IndexRouteOptions, VectorIndex } from './vector-index.ts';
