import { unexpected } from '../errors.ts';
import { method, numberBetween, wholeNumber } from '../validate.ts';
import type { Catalog } from './catalog.ts';
import type { Limits } from './choosing.ts';
import { compileFilter } from './filter.ts';
import type { Mention } from './mentions.ts';
import type { Settings } from './recipe.ts';
import { RETRIEVERS, type RouteOptions } from './types.ts';

/** Options with every default filled in, and ids turned into rows. */
export type Policy = ReturnType<typeof readPolicy>;

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`. */
export function readPolicy(options: RouteOptions, catalog: Catalog, settings: Settings) {
  const k = wholeNumber('k', options.k ?? 10, 1, 1_000_000);
  const retriever = options.retriever ?? 'hybrid';
  if (!RETRIEVERS.includes(retriever)) {
    const expected = `one of ${RETRIEVERS.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'retriever', expected, retriever);
  }
  const order = options.order ?? 'quality';
  if (order !== 'quality' && order !== 'id') {
    throw unexpected('ERR_INVALID_ARGUMENT', 'order', 'quality or id', order);
  }
  const rows = (name: 'pinned' | 'excluded' | 'allowed') =>
    options[name] && rowsOf(name, options[name], catalog);
  const pinned = rows('pinned') ?? [];
  const where = options.where && compileFilter(options.where);
  const permitted = permittedRows(where && catalog.rowsWhere(where), rows('allowed'), catalog);
  const allowed = without(permitted, rows('excluded'), catalog);
  const may = (row: number) => !allowed || has(allowed, row);
  for (const [i, row] of pinned.entries()) {
    if (may(row)) continue;
    const expected = 'a skill that is allowed and not excluded';
    throw unexpected('ERR_INVALID_ARGUMENT', `pinned[${i}]`, expected, options.pinned![i]);
  }
  const { tokens, count } = options.budget ?? {};
  const limits: Limits = {
    k: Math.max(k, pinned.length),
    tokens:
      tokens === undefined ? Infinity : wholeNumber('budget.tokens', tokens, 1, 1_000_000_000),
    count: count === undefined ? Infinity : wholeNumber('budget.count', count, 1, 1_000_000),
    adaptive: options.adaptive === true,
  };
  return {
    limits,
    candidates: wholeNumber(
      'candidates',
      options.candidates ?? Math.max(settings.candidates, k),
      k,
      1_000_000,
    ),
    method: method(options.method ?? 'dsr'),
    lambda: numberBetween('lambda', options.lambda ?? settings.lambda, 0, 1),
    retriever,
    order,
    pinned,
    /** Bitmap of the rows that may be chosen; undefined for all. */
    allowed,
    may,
    /** Bitmap of the rows that may be shown at all, as what a chosen skill requires; undefined for all. */
    permitted,
    /** Where skills are to lie; undefined for anywhere. */
    folders: where?.folders,
    minScore: numberBetween('minScore', options.minScore ?? settings.minScore, -10, 10),
    sharpness: settings.sharpness,
    facetWeight: settings.facetWeight,
  };
}

function rowsOf(name: string, ids: readonly string[], catalog: Catalog): number[] {
  if (!Array.isArray(ids)) {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'ids of skills', ids);
  }
  const rows = (ids as readonly string[]).map((id, i) => {
    const row = catalog.rowOf(id);
    if (row !== undefined) return row;
    throw unexpected('ERR_INVALID_ARGUMENT', `${name}[${i}]`, 'the id of a skill', id);
  });
  return [...new Set(rows)];
}

/** The rows that are chosen first: the pinned ones, then those that the request names as such. */
export function forcedRows({ pinned, may }: Policy, mentions: readonly Mention[]): number[] {
  const named = mentions.filter(({ row, explicit }) => explicit && may(row));
  return [...new Set([...pinned, ...named.map(({ row }) => row)])];
}

function has(bitmap: Uint32Array, row: number): boolean {
  return (((bitmap[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
}

/** The rows of a list that pass the filter; undefined for all. */
function permittedRows(
  filtered: Uint32Array | undefined,
  listed: readonly number[] | undefined,
  { rowLimit }: Catalog,
): Uint32Array | undefined {
  if (!listed) return filtered;
  const words = new Uint32Array(Math.ceil(rowLimit / 32));
  for (const row of listed) {
    if (!filtered || has(filtered, row)) words[row >>> 5]! |= 1 << (row & 31);
  }
  return words;
}

function without(
  bitmap: Uint32Array | undefined,
  rows: readonly number[] | undefined,
  { rowLimit }: Catalog,
): Uint32Array | undefined {
  if (!rows || rows.length === 0) return bitmap;
  const words = bitmap?.slice() ?? new Uint32Array(Math.ceil(rowLimit / 32)).fill(0xffff_ffff);
  for (const row of rows) words[row >>> 5]! &= ~(1 << (row & 31));
  return words;
}

/** A skill's prerequisites that may be shown. */
export function requiredRows(
  row: number,
  catalog: Catalog,
  permitted: Uint32Array | undefined,
): number[] {
  const required = catalog.prerequisites.of(row);
  return permitted ? required.filter((one) => has(permitted, one)) : required;
}

/** Whether the pinned skills alone fit the budget, which may never be exceeded. */
export function checkPinned({ pinned, limits, permitted }: Policy, catalog: Catalog): void {
  const rows = new Set(pinned.flatMap((row) => [row, ...requiredRows(row, catalog, permitted)]));
  const tokens = [...rows].reduce((sum, row) => sum + catalog.tokensOf(row), 0);
  if (tokens <= limits.tokens && rows.size <= limits.count) return;
  throw unexpected(
    'ERR_OUT_OF_RANGE',
    'budget',
    `room for the pinned skills and what they require (${rows.size} skills, ${tokens} tokens: ` +
      `${[...rows].map((row) => catalog.card(row).id).join(', ')})`,
    limits.tokens < tokens ? limits.tokens : limits.count,
  );
}
