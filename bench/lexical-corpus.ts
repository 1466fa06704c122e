// The corpus of bench/lexical.ts: real skills where there are some, else random ones of the same kind,
// replicated with noise. Words become t0, t1 ..., which every contender tokenises alike.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tokenize } from '../lib/index.ts';
import { seeded } from '../test/support/vectors.ts';

/** How likely a word of a copy is another one, drawn as words of the originals are. */
const NOISE = 0.1;

export interface LexicalCorpus {
  readonly source: string;
  /** The words of document i, the same at every call. */
  words(i: number): string[];
  /** Each 20 different words. */
  readonly queries: readonly string[][];
}

/** n documents from the SKILL.md files below a folder, or from no folder at all. */
export function lexicalCorpus(folder: string | undefined, n: number): LexicalCorpus {
  const originals = folder === undefined ? zipfSkills(2_000) : realSkills(folder);
  const all = originals.texts.flat();
  const words = (i: number) => {
    const original = originals.texts[i % originals.texts.length]!;
    if (i < originals.texts.length) return original;
    const random = seeded(i);
    return original.map((word) =>
      random() < NOISE ? all[Math.floor(random() * all.length)]! : word,
    );
  };
  const source = `${originals.texts.length} ${originals.source} replicated with noise to ${n}`;
  return { source, words, queries: originals.queries };
}

interface Originals {
  readonly source: string;
  readonly texts: readonly string[][];
  readonly queries: readonly string[][];
}

function realSkills(folder: string): Originals {
  const numbers = new Map<string, string>();
  const numbered = (text: string) =>
    tokenize(text).map((term) => {
      const word = numbers.get(term) ?? `t${numbers.size}`;
      numbers.set(term, word);
      return word;
    });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => basename(file) === 'SKILL.md')
    .sort();
  const contents = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const texts = contents.map(numbered);
  // A request as users write them: the beginning of a description, little words included.
  const queries = contents
    .map((content) => /^description: *(.+)$/m.exec(content)?.[1] ?? '')
    .map((description) => [...new Set(numbered(description))].slice(0, 20))
    .filter((query) => query.length === 20);
  return { source: 'real skills', texts, queries: spread(queries, 200) };
}

/** Word r with a frequency of about 1 / r, some 1,200 words a document as in real skills. */
function zipfSkills(n: number): Originals {
  const random = seeded(1);
  const word = () => `t${Math.floor(Math.exp(random() * Math.log(60_000))) - 1}`;
  const texts = Array.from({ length: n }, () =>
    Array.from({ length: 200 + Math.floor(random() * 2_000) }, word),
  );
  const queries = texts.map((text) => [...new Set(text)].slice(0, 20));
  return { source: 'random (Zipf) skills', texts, queries: spread(queries, 200) };
}

/** So many of the items, evenly from the first to the last. */
function spread<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, items.length / count);
  return Array.from(
    { length: Math.min(count, items.length) },
    (_, i) => items[Math.floor(i * step)]!,
  );
}
