import type { Warn } from './warning.ts';

/** A SKILL.md cut in two, its YAML not yet read. */
export interface SplitText {
  /** Undefined where the text does not begin with front matter. */
  readonly frontMatter: { readonly yaml: string; readonly line: number } | undefined;
  readonly body: string;
  /** Line on which the body begins, counted from 1. */
  readonly bodyLine: number;
}

const OPENING = /^---[ \t]*$/;
const CLOSING = /^(?:---|\.\.\.)[ \t]*$/;
const FENCE = /^ {0,3}(?:```|~~~)/;
const KEY = /^["']?[\w.-]+["']?[ \t]*:(?:\s|$)/;
const SKILL_KEY = /^["']?(?:name|description)["']?[ \t]*:/i;
const LIST_ITEM = /^-\s/;
// Lines at the left margin that valid YAML may hold: keys and the punctuation of flow collections.
const LIKE_YAML = /^(?:\s|["'?[\]{}]|.*:(?:\s|$))/;

/**
 * Cuts front matter off a text with normalised line ends. Delimiters are whole lines at the left margin,
 * so neither a `---` rule in the body nor one inside a block scalar is taken for a delimiter.
 */
export function splitFrontMatter(text: string, warn: Warn): SplitText {
  const lines = text.split('\n');
  const opening = lines.findIndex((line) => line.trim() !== '');
  const first = opening + 1;
  if (opening === -1 || !OPENING.test(lines[opening]!)) {
    warnOfNoFrontMatter(lines, warn);
    return { frontMatter: undefined, body: text, bodyLine: 1 };
  }

  const { end, closed } = findEnd(lines, first);
  if (!closed) {
    if (!lines.slice(first, end).some((line) => KEY.test(line))) {
      warn('no-front-matter', 1, 'no front matter: the text begins with a rule');
      return { frontMatter: undefined, body: text, bodyLine: 1 };
    }
    warn('front-matter-unclosed', opening + 1, `not closed; front matter was read to line ${end}`);
  }

  const bodyStart = closed ? end + 1 : end;
  if (closed) warnOfSecondBlock(lines, bodyStart, warn);
  return {
    frontMatter: { yaml: lines.slice(first, end).join('\n'), line: first + 1 },
    body: lines.slice(bodyStart).join('\n'),
    bodyLine: bodyStart + 1,
  };
}

/**
 * Index of the closing line; or, where prose comes first, the index after the last line that YAML can own.
 * Prose is a line at the left margin, after a blank or comment line, that has no key and is no list item:
 * valid YAML has none, and an author who forgot to close the block has it soon. What looked like a comment
 * until then was a heading, and the body began there.
 */
function findEnd(lines: readonly string[], first: number): { end: number; closed: boolean } {
  let end = first;
  let heading: number | undefined;
  let afterGap = false;
  for (let index = first; index < lines.length; index += 1) {
    const line = lines[index]!;
    if (CLOSING.test(line)) return { end: index, closed: true };
    if (line.trim() === '') {
      afterGap = true;
    } else if (line.startsWith('#')) {
      if (afterGap) heading ??= index;
      afterGap = true;
    } else if (afterGap && LIST_ITEM.test(line)) {
      // May be YAML or Markdown: a closing line further down decides.
    } else if (afterGap && !LIKE_YAML.test(line)) {
      break;
    } else {
      end = index + 1;
      afterGap = false;
    }
  }
  return { end: Math.min(end, heading ?? end), closed: false };
}

function warnOfNoFrontMatter(lines: readonly string[], warn: Warn): void {
  // A fence before the block means that it is an example of front matter, not front matter.
  const marker = lines.findIndex((line) => OPENING.test(line) || FENCE.test(line));
  if (marker !== -1 && opensBlock(lines, marker, SKILL_KEY)) {
    warn(
      'text-before-front-matter',
      marker + 1,
      'text stands before the front matter, so it was read as body',
    );
  } else {
    warn('no-front-matter', 1, 'no front matter');
  }
}

function warnOfSecondBlock(lines: readonly string[], bodyStart: number, warn: Warn): void {
  const next = lines.findIndex((line, index) => index >= bodyStart && line.trim() !== '');
  if (next !== -1 && opensBlock(lines, next, KEY)) {
    warn('front-matter-repeated', next + 1, 'a second block of front matter was left in the body');
  }
}

/** Whether a closed block with such a first key opens at this line. */
function opensBlock(lines: readonly string[], index: number, key: RegExp): boolean {
  return (
    OPENING.test(lines[index]!) &&
    key.test(lines[index + 1] ?? '') &&
    lines.some((line, at) => at > index && CLOSING.test(line))
  );
}
