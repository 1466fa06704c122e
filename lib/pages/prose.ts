/** A sentence or list item of a Markdown text, and the headings that it stands under. */
export interface Sentence {
  readonly text: string;
  /** The nearest heading above it, in lower case; empty before the first. */
  readonly heading: string;
  /** Whether it is an item of a numbered list: a step of a procedure. */
  readonly isStep: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*$/;
/** A line of bold text alone is a heading to its author. */
const BOLD_LINE = /^\s*\*\*([^*]+)\*\*:?\s*$/;
const ITEM = /^\s*(?:[-*+•]|(\d{1,3}[.)]))\s+/;
/** Tables, rules, HTML, images, link definitions; indented code follows no list item. */
const NO_PROSE = /^\s*(?:\||[-=_*]{3,}\s*$|<|!\[|\[[^\]]+\]:)/;

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** The prose of a Markdown text, sentence by sentence: no code, tables or headings, links by their text. */
export function sentencesOf(markdown: string): Sentence[] {
  const sentences: Sentence[] = [];
  let heading = '';
  let fence: string | undefined;
  let paragraph = '';
  let isStep = false;
  const flush = () => {
    for (const text of split(plainText(paragraph))) {
      if (/\p{L}.*\p{L}/su.test(text)) sentences.push({ text, heading, isStep });
    }
    paragraph = '';
    isStep = false;
  };
  for (const line of markdown.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      continue;
    }
    const title = (HEADING.exec(line) ?? BOLD_LINE.exec(line))?.[1];
    const item = ITEM.exec(line);
    if (mark || title !== undefined || item || line.trim() === '' || NO_PROSE.test(line)) flush();
    if (mark) fence = mark;
    else if (title !== undefined) heading = plainText(title).toLowerCase();
    else if (item) {
      isStep = item[1] !== undefined;
      paragraph = line.slice(item[0].length);
    } else if (!NO_PROSE.test(line)) paragraph += ` ${line.replace(/^\s*>+/, '')}`;
  }
  flush();
  return sentences;
}

/** A full stop that ends no sentence: of an abbreviation, or before a name such as .NET. */
const NO_END = /(?:\b(?:e\.g|i\.e|vs|cf|approx|art|no|fig)|\s)\.\s*$/i;

function split(paragraph: string): string[] {
  const texts: string[] = [];
  let open = '';
  for (const { segment } of segmenter.segment(paragraph)) {
    open += segment;
    if (NO_END.test(open)) continue;
    texts.push(open.trim());
    open = '';
  }
  return [...texts, open.trim()];
}

/** Inline Markdown as it reads. */
function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>\n]{1,200}>/g, ' ')
    .replace(/(\*\*|__|`)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
