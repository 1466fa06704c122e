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
export { type SelectInput, selectDiverse, selectDiverseAsync } from './select.ts';
export { type IndexRouteOptions, VectorIndex } from './vector-index.ts';
