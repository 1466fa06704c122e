/**
 * Text to terms. A term is a folded word: compatibility forms, case and Latin, Greek and Cyrillic
 * diacritics make no difference. There is no stemming and there are no stop words: skills are full of
 * names, and BM25 knows by itself that "the" says little.
 *
 * An identifier gives its parts and itself: `parseHTTPResponse2` is found by `parse`, by `http`, and,
 * with more weight because it is rare, by `parsehttpresponse2`.
 */

/** Words joined by single punctuation marks, as in `pdf-merge.py`, `snake_case`, `don't` and `c++`. */
const IDENTIFIER =
  /[\p{L}\p{N}][\p{L}\p{N}\p{M}]*(?:(?:::|[-_.'’/:])[\p{L}\p{N}][\p{L}\p{N}\p{M}]*)*(?:\+\+|#(?![\p{L}\p{N}]))?/gu;

/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/**
 * A capital before a small letter begins a part, and so does a digit after a letter or the reverse.
 * The plural of an abbreviation (`PDFs`) is one word.
 */
const PARTS =
  /\p{Lu}{2,}s(?!\p{Ll})|(?:\p{Lu}\p{M}*)+(?!\p{Ll})|(?:\p{Lu}\p{M}*)?(?:\p{Ll}\p{M}*)+|(?:[\p{Lo}\p{Lm}\p{Lt}]\p{M}*)+|(?:\p{N}\p{M}*)+|\p{Lu}\p{M}*/gu;

const ASCII = /^[\0-\x7f]*$/;
const DIACRITICS = /[\u0300-\u036f]+/g;

/** A longer identifier is hardly typed by anybody: only its parts are kept. */
const LONGEST_IDENTIFIER = 64;

/** The dictionaries behind it serve all unspaced scripts, whatever the locale; one is fixed for all. */
const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The terms of a text, in its order, repeated as they repeat.
 * @example tokenize('Merge PDFs with pdf-lib') // ['merge', 'pdfs', 'with', 'pdf', 'lib', 'pdf-lib']
 */
export function tokenize(text: string): string[] {
  const terms: string[] = [];
  for (const [identifier] of text.normalize('NFKC').matchAll(IDENTIFIER)) {
    if (UNSPACED.test(identifier)) {
      for (const { segment, isWordLike } of segmenter.segment(identifier)) {
        if (isWordLike) addIdentifier(segment, terms);
      }
    } else {
      addIdentifier(identifier, terms);
    }
  }
  return terms;
}

/** A piece of a document and how much a word in it counts. */
export interface Field {
  readonly text: string;
  /** Above 0. A word in a field of weight 2 counts like two words in a field of weight 1. */
  readonly weight: number;
}

/** How often each term occurs in a document, weighted by field: what {@link LexicalIndex} takes. */
export function countTerms(fields: Iterable<Field>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { text, weight } of fields) {
    for (const term of tokenize(text)) counts.set(term, (counts.get(term) ?? 0) + weight);
  }
  return counts;
}

function addIdentifier(identifier: string, terms: string[]): void {
  const parts = UNSPACED.test(identifier) ? [identifier] : (identifier.match(PARTS) ?? []);
  for (const part of parts) terms.push(fold(part));
  const whole = parts.length !== 1 || parts[0] !== identifier;
  if (whole && identifier.length <= LONGEST_IDENTIFIER) terms.push(fold(identifier));
}

/**
 * One spelling for all that differ in case, compatibility form or diacritics. Upper case first, since
 * it alone maps ß to SS; marks of other scripts stay, where they are no mere accents (か, が).
 */
function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('’', "'")
    .normalize('NFKC');
}
