/**
 * Capability pages (arXiv 2608.04482): which skills are easily confused, and for each of them what it is
 * for, what it is not for, and what tells it apart.
 */
export { type AuditOptions, auditPages, type Finding, type FindingCode } from './audit.ts';
export {
  type CompileOptions,
  type CompilePlan,
  type CompileReport,
  compilePages,
  type FellBack,
  planCompile,
  type Remarks,
} from './compile.ts';
export { CorpusStatistics } from './corpus-statistics.ts';
export { compileExtractive, EXTRACTIVE_VERSION } from './extractive.ts';
export {
  type LanguageModelOptions,
  type PageWriter,
  pageWriter,
  type Tokens,
} from './language-model.ts';
export {
  findNeighbourhoods,
  type NeighbourhoodOptions,
  type NeighbourhoodSettings,
  type NeighbourhoodStatistics,
  type Neighbourhoods,
  neighbourhoodStatistics,
} from './neighbourhoods.ts';
export {
  type Compiler,
  type Member,
  PAGE_LIMITS,
  type Page,
  type PageTexts,
  type Provenance,
  readPage,
} from './page.ts';
export { PageFile, type PageStore } from './page-file.ts';
export { PAGE_FILE_NAME, pageMarkdown, parsePageMarkdown } from './page-markdown.ts';
export {
  type CandidateSource,
  CardRouter,
  type CardRouterOptions,
  type RoutedOne,
  type RouteOneOptions,
} from './route-one.ts';
export { type PageState, type PagesStatus, pagesStatus } from './status.ts';
export { type Unit, unitsOf } from './units.ts';
export { type UpdatedUnits, updatedUnits } from './updates.ts';
export {
  PAGED_VIEW_VERSION,
  pagedIndexView,
  type RoutingCard,
  routingCard,
  textViewName,
  type ViewOptions,
  type ViewOrder,
  type ViewParts,
} from './views.ts';
