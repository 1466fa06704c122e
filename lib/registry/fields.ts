import { isMap, isScalar, Lexer, LineCounter, Parser, parseDocument } from 'yaml';
import type { Warn } from './warning.ts';

/** One top-level entry of the front matter. */
export interface Field {
  /** Plain data: text, numbers, booleans, null, arrays and objects; never a `__proto__` key. */
  readonly value: unknown;
  /** How a scalar was written, which a number cannot tell (`1.10`). */
  readonly source: string | undefined;
  /** A comment behind an unquoted value, without its `#`: perhaps its author meant text (`the #1 app`). */
  readonly comment: string | undefined;
  /** Line of the key in its file. */
  readonly line: number;
}

type Entry = readonly [key: string, field: Field];
type Attempt = { readonly entries: readonly Entry[] } | { readonly problem: string };

// Far more than any front matter needs, and little enough for the parser: its composer recurses, and some
// errors cost it quadratic time.
const MAX_LENGTH = 65_536;
const MAX_DEPTH = 100;

// `name:text` without the space is not YAML, but nobody means anything else by it.
const ENTRY = /^(?:(["']?)([\w.-]+)\1[ \t]*:(?=\s|$)|(name|description):)/i;
const BLOCK_INDICATOR = /^[|>][-+\d]*$/;
const QUOTED = /^(["'])(.*)\1$/s;

/**
 * Reads front matter that begins on `firstLine` of its file. Where it is not valid YAML, each top-level entry
 * is read by itself, and an entry that still fails is taken as the text it was surely meant to be
 * (`description: Use when: asked` is the usual one). Undefined where it holds no entries at all.
 */
export function readFields(
  yaml: string,
  firstLine: number,
  warn: Warn,
): ReadonlyMap<string, Field> | undefined {
  let attempt = readYaml(yaml, firstLine);
  if ('problem' in attempt) {
    const { problem } = attempt;
    attempt = { entries: readEntries(yaml, firstLine, warn) };
    if (attempt.entries.length === 0) {
      warn('front-matter-not-a-mapping', firstLine, `no fields could be read: ${problem}`);
      return undefined;
    }
  }

  const fields = new Map<string, Field>();
  for (const [key, field] of attempt.entries) {
    if (key === '__proto__') continue;
    if (fields.has(key))
      warn('duplicate-key', field.line, `${key} is repeated; the last one counts`);
    fields.set(key, field);
  }
  return fields;
}

function readYaml(yaml: string, firstLine: number): Attempt {
  if (yaml.length > MAX_LENGTH) return { problem: `longer than ${MAX_LENGTH} characters` };
  if (nestsTooDeeply(yaml)) return { problem: `nested more than ${MAX_DEPTH} levels deep` };
  const lineCounter = new LineCounter();
  const document = parseDocument(yaml, {
    lineCounter,
    prettyErrors: false,
    // No dates, sets or binary, and no keys but text: metadata is plain data.
    resolveKnownTags: false,
    stringKeys: true,
    // That check costs quadratic time too, and a repeated key is worth a warning, not the whole block.
    uniqueKeys: false,
  });
  const [error] = document.errors;
  if (error) return { problem: error.message };
  if (document.contents === null) return { entries: [] };
  if (!isMap(document.contents)) return { problem: 'it is not a mapping' };

  let values: Record<string, unknown>;
  try {
    // Aliases make bombs and cycles, and of 1,967 public skills none has one: they are refused.
    values = document.toJS({ maxAliasCount: 0, reviver: dropPrototypeKey });
  } catch (refusal) {
    return { problem: (refusal as Error).message };
  }
  const entries = document.contents.items.map(({ key, value }): Entry => {
    const name = String(isScalar(key) ? key.value : key);
    const line = firstLine + lineCounter.linePos(key.range[0]).line - 1;
    const scalar = isScalar(value) ? value : undefined;
    const comment = scalar?.type === 'PLAIN' ? (scalar.comment ?? undefined) : undefined;
    return [name, { value: values[name], source: scalar?.source, comment, line }];
  });
  return { entries };
}

/**
 * Asked before composing, not caught after: when V8 has to compile a regular expression near the end of the
 * stack it aborts the process. The lexer and the first parser do not recurse; their stack shows the depth.
 */
function nestsTooDeeply(yaml: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(yaml)) {
    // A generator: it parses only while it is drained.
    for (const _document of parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) return true;
  }
  return false;
}

function dropPrototypeKey(key: unknown, value: unknown): unknown {
  return key === '__proto__' ? undefined : value;
}

function readEntries(yaml: string, firstLine: number, warn: Warn): Entry[] {
  return cutAtKeys(yaml.split('\n')).map(({ key, head, rest, at }): Entry => {
    const line = firstLine + at;
    const attempt = readYaml([`${key}:${head}`, ...rest].join('\n'), line);
    if ('entries' in attempt && attempt.entries.length === 1) return attempt.entries[0]!;
    const problem = 'problem' in attempt ? attempt.problem : 'it is not one entry';
    warn('yaml-repaired', line, `${key}: not valid YAML (${problem}); taken as plain text`);
    return [key, { value: literalText(head, rest), source: undefined, comment: undefined, line }];
  });
}

interface RawEntry {
  readonly key: string;
  /** What follows the colon on the line of the key. */
  readonly head: string;
  /** The lines up to the next key. */
  readonly rest: string[];
  /** Index of the line of the key. */
  readonly at: number;
}

function cutAtKeys(lines: readonly string[]): RawEntry[] {
  const entries: RawEntry[] = [];
  for (const [at, line] of lines.entries()) {
    const match = ENTRY.exec(line);
    if (match) {
      const key = match[2] ?? match[3]!;
      entries.push({ key, head: line.slice(match[0].length), rest: [], at });
    } else {
      entries.at(-1)?.rest.push(line);
    }
  }
  return entries;
}

/** The value as its author would read it aloud: folded into one line, without indicator or outer quotes. */
function literalText(head: string, rest: readonly string[]): string {
  const isBlock = BLOCK_INDICATOR.test(head.trim());
  const gap = rest.findIndex((line) => line.trim() === '' || line.startsWith('#'));
  const following = isBlock || gap === -1 ? rest : rest.slice(0, gap);
  const text = [isBlock ? '' : head, ...following]
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');
  return QUOTED.exec(text)?.[2] ?? text;
}
