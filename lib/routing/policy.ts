import { unexpected } from '../errors.ts';
import { method, numberBetween, wholeNumber } from '../validate.ts';
import type { Catalog } from './catalog.ts';
import type { Limits } from './choosing.ts';
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
  const excluded = new Set(rows('excluded'));
  const allowed = options.allowed && new Set(rows('allowed'));
  const may = (row: number) => !excluded.has(row) && (!allowed || allowed.has(row));
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
    /** Undefined where every skill may be chosen. */
    may: allowed || excluded.size > 0 ? may : undefined,
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
  const named = mentions.filter(({ row, explicit }) => explicit && (!may || may(row)));
  return [...new Set([...pinned, ...named.map(({ row }) => row)])];
}

/** A bitmap of the rows that may be chosen; undefined for all. */
export function allowedRows({ may }: Policy, size: number): Uint32Array | undefined {
  if (!may) return undefined;
  const words = new Uint32Array(Math.ceil(size / 32));
  for (let row = 0; row < size; row++) if (may(row)) words[row >>> 5]! |= 1 << (row & 31);
  return words;
}

/** Whether the pinned skills alone fit the budget, which may never be exceeded. */
export function checkPinned({ pinned, limits }: Policy, catalog: Catalog): void {
  const rows = new Set(pinned.flatMap((row) => [row, ...catalog.prerequisites.of(row)]));
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
