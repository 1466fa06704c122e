import { resolve } from 'node:path';
import { unexpected } from '../errors.ts';
import type { FactQuery } from '../registry/facts.ts';

type Value = string | number | boolean;

/** What skills must be to be chosen; all that is given must hold. */
export interface Filter {
  /** At least one of these is among the `tags` of the front matter, or of its `metadata`. */
  tags?: readonly string[];
  /** They lie below one of these folders. */
  folders?: readonly string[];
  /** Fields of the front matter, or of its `metadata`, that have this value, or one of these. */
  metadata?: Readonly<Record<string, Value | readonly Value[]>>;
}

/** A filter as it is looked up. */
export interface CompiledFilter {
  /** Equal for equal filters. */
  readonly key: string;
  readonly facts: readonly FactQuery[];
  /** Absolute; undefined for any. */
  readonly folders: readonly string[] | undefined;
}

/**
 * @returns undefined for a filter that asks for nothing.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`.
 */
export function compileFilter(filter: Filter): CompiledFilter | undefined {
  const known = ['tags', 'folders', 'metadata'];
  const unknown = Object.keys(filter).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'where', `some of ${known.join(', ')}`, unknown);
  }
  const { tags, folders, metadata = {} } = filter;
  const facts = Object.entries(metadata).map(([key, value]) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return { key, values: values.map((one) => textOf(`where.metadata.${key}`, one)) };
  });
  if (tags) facts.push({ key: 'tags', values: list('where.tags', tags) });
  const places = folders && list('where.folders', folders).map((folder) => resolve(folder));
  if (facts.length === 0 && !places) return undefined;
  return { key: JSON.stringify([facts, places]), facts, folders: places };
}

function list(name: string, value: readonly string[]): string[] {
  if (!Array.isArray(value)) throw unexpected('ERR_INVALID_ARGUMENT', name, 'texts', value);
  return value.map((one: unknown) => {
    if (typeof one === 'string' && one !== '') return one;
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'texts', one);
  });
}

function textOf(name: string, value: unknown): string {
  if (['string', 'number', 'boolean'].includes(typeof value)) return String(value);
  throw unexpected('ERR_INVALID_ARGUMENT', name, 'a text, number or boolean, or some', value);
}
