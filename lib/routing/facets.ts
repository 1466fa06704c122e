import { wholeNumber } from '../validate.ts';

export interface FacetOptions {
  /** At most this many facets, at least 1. Default 16: each costs a run of the encoder. */
  limit?: number;
  /** A clause of fewer words is joined to a neighbour, at least 1. Default 4. */
  minWords?: number;
}

/** What stands between two clauses; the more, the more reluctantly they are joined. */
const CLAUSE = 1;
const SENTENCE = 2;
const LINE = 3;

/** A part of the text, from start to end, and what stands between it and the part before. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly words: number;
  readonly gap: number;
}

/**
 * What is never cut: code, addresses, short quotations and parentheses. A longer quotation is
 * more often the request itself than a name in it. An apostrophe is no quotation mark: those stand
 * after a space and before one.
 */
const WHOLE = anyOf(
  /```[\s\S]*?(?:```|$)/u,
  /`[^`\n]{1,200}`/u,
  /[a-z][a-z\d+.-]{1,20}:\/\/[^\s<>"'，。、）]+/u,
  /"[^"\n]{1,80}"/u,
  /“[^”\n]{1,80}”/u,
  /„[^“”\n]{1,80}[“”]/u,
  /«[^»\n]{1,80}»/u,
  /「[^」\n]{1,80}」/u,
  /『[^』\n]{1,80}』/u,
  /《[^》\n]{1,80}》/u,
  /(?<=^|[\s(])'[^'\n]{1,80}'(?=$|[\s),.;:!?])/u,
  /\([^()\n]{2,80}\)/u,
  /（[^（）\n]{1,80}）/u,
);

/** Marks between clauses. Those that also stand inside words and numbers need a space behind them. */
const CLAUSE_END = /[;,:](?=\s)|\s[-–—](?=\s)|—|[，、；：،؛]/gu;

/** (a), 2) or ③ within a line. */
const INLINE_MARKER = /\s(?:\((?:\d{1,2}|[a-z])\)|\d{1,2}\))(?=\s)|[①-⑳]/giu;

/** The marker of a list item or a heading. */
const MARKER =
  /^\s*(?:[-*+•‣◦▪·–]|\(?(?:\p{N}{1,3}|[a-z])[.):、．]|#{1,6}|[①-⑳])(?=\s|[^\0-\x7f])/iu;

/** What surrounds a clause and is no part of it. */
const EDGE = /[\s,;:，、；：،؛–—-]/u;

/** A line break inside a sentence, as in text wrapped to a width. */
const SOFT_BREAK = /(?<=[^\s.!?。！？:：;；])[^\S\n]*\n(?=[^\S\n]*\p{Ll}[^.)])/gu;

/** Scripts that put no space between words; their words are about two characters long. */
const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

/** A run of an unspaced script, or a word of another. Intl.Segmenter takes quadratic time for words. */
const WORD = new RegExp(
  `([${UNSPACED}][${UNSPACED}\\p{M}ー]*)|(?![${UNSPACED}])[\\p{L}\\p{N}](?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}]|['’.](?=[\\p{L}\\p{N}]))*`,
  'gu',
);

// Where sentences end does not depend on the locale, but one is fixed so that nothing else does.
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });

/**
 * The needs that a request lists: its sentences, list items and clauses, in order. Each is a piece of
 * the request, character for character; together they hold all its words but for list markers.
 *
 * It goes by punctuation and layout, not by words, and so works in any language. "Find the cause and
 * write it up" stays one facet: cutting at conjunctions was measured and loses, since more clauses
 * are torn than found. Not every facet is a need; that is for the scores to tell.
 *
 * @returns one facet, the request itself, where there is nothing to cut; none where there is no text.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE`, `ERR_INVALID_ARGUMENT` for an option; never for a text.
 * @example splitIntoFacets('Read the PDF tables, plot the totals by month. Then mail the chart to Ann')
 * // ['Read the PDF tables', 'plot the totals by month.', 'Then mail the chart to Ann']
 */
export function splitIntoFacets(
  request: string,
  { limit = 16, minWords = 4 }: FacetOptions = {},
): string[] {
  wholeNumber('limit', limit, 1, 1_000_000);
  wholeNumber('minWords', minWords, 1, 1_000_000);
  // Same length, so that places in the one are places in the other.
  const text = request.replace(SOFT_BREAK, (gap) => ' '.repeat(gap.length));
  let pieces = cut(text, boundaries(text));
  // A short clause belongs to its sentence before it belongs to the next one.
  for (const gap of [CLAUSE, SENTENCE, LINE]) pieces = joinShort(pieces, minWords, gap);
  pieces = joinToLimit(pieces, limit);
  if (pieces.length === 0) return request.trim() === '' ? [] : [request.trim()];
  return pieces.map(({ start, end }) => request.slice(start, end));
}

/** Where the text may be cut, in order, each with what stands there. */
function boundaries(text: string): [at: number, gap: number][] {
  const gaps = new Map<number, number>();
  const add = (at: number, gap: number) => gaps.set(at, Math.max(gap, gaps.get(at) ?? 0));
  for (const { index, 0: mark } of text.matchAll(CLAUSE_END)) add(index + mark.length, CLAUSE);
  for (const { index } of text.matchAll(INLINE_MARKER)) add(index, SENTENCE);
  // Line by line: of many line breaks together the segmenter makes quadratic time.
  for (const { index: line, 0: content } of text.matchAll(/[^\n]+/gu)) {
    for (const { index, segment } of sentences.segment(content)) {
      add(line + index + segment.length, SENTENCE);
    }
  }
  for (const { index, 0: mark } of text.matchAll(/\n\s*/gu)) add(index + mark.length, LINE);

  const sorted = [...gaps].sort(([a], [b]) => a - b);
  const wholes = [...text.matchAll(WHOLE)].map(({ index, 0: { length } }) => [
    index,
    index + length,
  ]);
  let next = 0;
  return sorted.filter(([at]) => {
    while (next < wholes.length && wholes[next]![1]! <= at) next++;
    const inside = next < wholes.length && at > wholes[next]![0]!;
    return !inside && at > 0 && at < text.length;
  });
}

/** The parts between the cuts that hold a word, without their markers and surrounding marks. */
function cut(text: string, cuts: [at: number, gap: number][]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  let gap = LINE;
  for (const [at, nextGap] of [...cuts, [text.length, LINE] as const]) {
    let start = from + (MARKER.exec(text.slice(from, at))?.[0].length ?? 0);
    let end = at;
    while (start < end && EDGE.test(text[start]!)) start++;
    while (end > start && EDGE.test(text[end - 1]!)) end--;
    const count = countWords(text.slice(start, end));
    if (count > 0) {
      pieces.push({ start, end, words: count, gap });
      gap = nextGap;
    } else {
      gap = Math.max(gap, nextGap);
    }
    from = at;
  }
  return pieces;
}

/** Joins pieces of fewer words than minWords to the nearer neighbour, if not more than gap is between. */
function joinShort(pieces: readonly Piece[], minWords: number, gap: number): Piece[] {
  const done: Piece[] = [];
  const queue = [...pieces, undefined];
  let current = queue[0];
  for (let i = 1; current !== undefined; ) {
    const next = queue[i];
    const before: number = done.length > 0 ? current.gap : Number.POSITIVE_INFINITY;
    const after: number = next ? next.gap : Number.POSITIVE_INFINITY;
    if (current.words >= minWords || Math.min(before, after) > gap) {
      done.push(current);
      current = next;
      i++;
    } else if (next && after <= before) {
      current = join(current, next);
      i++;
    } else {
      current = join(done.pop()!, current);
    }
  }
  return done;
}

/** Joins the neighbours that are shortest together until no more than limit are left. */
function joinToLimit(pieces: readonly Piece[], limit: number): Piece[] {
  const left = pieces.length > 8 * limit ? pack(pieces, 4 * limit) : [...pieces];
  while (left.length > limit) {
    let shortest = 1;
    for (let i = 2; i < left.length; i++) {
      if (wordsOfPair(left, i) < wordsOfPair(left, shortest)) shortest = i;
    }
    left.splice(shortest - 1, 2, join(left[shortest - 1]!, left[shortest]!));
  }
  return left;
}

/** At most `most` runs of neighbours, about equal in words: in one pass, for very long texts. */
function pack(pieces: readonly Piece[], most: number): Piece[] {
  const share = pieces.reduce((sum, piece) => sum + piece.words, 0) / most;
  const packed: Piece[] = [];
  for (const piece of pieces) {
    const last = packed.at(-1);
    if (last && last.words < share) packed[packed.length - 1] = join(last, piece);
    else packed.push(piece);
  }
  return packed;
}

function wordsOfPair(pieces: readonly Piece[], i: number): number {
  return pieces[i - 1]!.words + pieces[i]!.words;
}

function join(a: Piece, b: Piece): Piece {
  return { start: a.start, end: b.end, words: a.words + b.words, gap: a.gap };
}

function countWords(text: string): number {
  let count = 0;
  for (const [word, unspaced] of text.matchAll(WORD)) {
    count += unspaced === undefined ? 1 : Math.ceil(word.length / 2);
  }
  return count;
}

function anyOf(...patterns: RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'giu');
}
