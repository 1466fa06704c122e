/**
 * Measuring how well methods cover requests whose answers are known: readers of datasets, the metrics, the
 * methods that come with the package, and the runner. A method of one's own is an object with the shape of
 * {@link Method}.
 */
export { type BootstrapOptions, type Interval, pairedBootstrap } from './bootstrap.ts';
export type { Dataset, EvalRequest } from './datasets/dataset.ts';
export { readDataset } from './datasets/read-dataset.ts';
export { type EvaluateOptions, type Evaluation, evaluate } from './evaluate.ts';
export type { Example } from './examples.ts';
export { METHOD_NAMES, makeMethods } from './methods/index.ts';
export type { Method, Ranking, Trace, TracedSkill } from './methods/method.ts';
export {
  type DsrRerankedOptions,
  dsrReranked,
  type RerankedOptions,
  rerank,
} from './methods/reranked.ts';
export {
  fullCoverage,
  hitAt1,
  metricNames,
  ndcg,
  recall,
  reciprocalRank,
  scoreRankings,
} from './metrics.ts';
export { sample } from './random.ts';
export { redundancy } from './redundancy.ts';
export { type HtmlOptions, renderHtml } from './report/html.ts';
export { renderText } from './report/text.ts';
export type { Timing } from './statistics.ts';
export type { Figures, MethodResult, Stage, Stratum } from './summary.ts';
export { parseSweep, type Sweep, sweepMethods } from './sweep.ts';
export { Workbench, type WorkbenchOptions } from './workbench.ts';
