import { unexpected } from '../../errors.ts';
import type { Workbench } from '../workbench.ts';
import type { Method } from './method.ts';
import { fusion, lexical, topk } from './ranked-lists.ts';
import { dppCosine, dsr, dsrNaive, mmr } from './shortlists.ts';
import { skillspan } from './skillspan.ts';
import { xquad } from './xquad.ts';

const MAKERS: Readonly<Record<string, (bench: Workbench) => Method>> = {
  topk,
  bm25: (bench) => lexical(bench, 'bm25', 'bm25'),
  tfidf: (bench) => lexical(bench, 'tfidf', 'tf-idf'),
  rrf: fusion,
  mmr,
  'dpp-cosine': dppCosine,
  dsr: (bench) => dsr(bench),
  'dsr-naive': dsrNaive,
  xquad,
  skillspan,
};

/** The names of the methods that come with the package. */
export const METHOD_NAMES: readonly string[] = Object.keys(MAKERS);

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for an unknown name. */
export function checkMethodNames(names: readonly string[]): void {
  for (const name of names) {
    if (Object.hasOwn(MAKERS, name)) continue;
    const expected = `one of ${METHOD_NAMES.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'methods', expected, name);
  }
}

/**
 * Methods by name, over one workbench.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for an unknown name.
 */
export function makeMethods(bench: Workbench, names: readonly string[]): Method[] {
  checkMethodNames(names);
  return names.map((name) => MAKERS[name]!(bench));
}
