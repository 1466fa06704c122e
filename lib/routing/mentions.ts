/**
 * Skills that a request calls by name. Names are compared word by word, without regard to case,
 * compatibility forms and what joins the words: `PDF table extract` calls `pdf-table-extract`.
 */

const WORD = /[\p{L}\p{N}\p{M}]+(?:\+\+|#)?/gu;
/** What may stand between the words of a name. */
const JOINT = /^[-_ .:/]$/;
/** Marks that say a name is meant as one. */
const OPENING = new Set(['`', '"', "'", '“', '‘', '«', '「', '/', '$', '@']);
/** Longer names are not looked for. */
const MOST_WORDS = 8;

export interface Mention {
  /** Row of the skill. */
  readonly row: number;
  /**
   * Whether it is meant beyond doubt: written with its joints (`pdf-table-extract`) or set off by a
   * mark (`/deploy`, "deploy"). Plain words may name a skill by chance.
   */
  readonly explicit: boolean;
}

export class NameIndex {
  readonly #rows = new Map<string, number[]>();
  #longest = 0;

  /** @param names of the skills, in the order of their rows; they may repeat. */
  constructor(names: Iterable<string>) {
    let row = 0;
    for (const name of names) {
      const words = wordsOf(name).map(({ word }) => word);
      if (words.length > 0 && words.length <= MOST_WORDS) {
        const key = words.join(' ');
        this.#rows.set(key, [...(this.#rows.get(key) ?? []), row]);
        this.#longest = Math.max(this.#longest, words.length);
      }
      row++;
    }
  }

  /** The skills that a text names, by row; each once. */
  mentions(text: string): Mention[] {
    const folded = fold(text);
    const words = wordsOf(folded);
    const found = new Map<number, boolean>();
    for (let first = 0; first < words.length; first++) {
      const start = words[first]!.at;
      let key = '';
      let joined = true;
      for (let n = 1; n <= this.#longest && first + n <= words.length; n++) {
        const { word, at } = words[first + n - 1]!;
        if (n > 1) {
          const before = words[first + n - 2]!;
          const joint = folded.slice(before.at + before.word.length, at);
          if (!JOINT.test(joint)) break;
          joined &&= joint !== ' ';
        }
        key = n === 1 ? word : `${key} ${word}`;
        const rows = this.#rows.get(key);
        if (!rows) continue;
        const explicit = (n > 1 && joined) || isSetOff(folded, start);
        for (const row of rows) found.set(row, explicit || found.get(row) === true);
      }
    }
    return [...found].map(([row, explicit]) => ({ row, explicit })).sort((a, b) => a.row - b.row);
  }
}

/** Whether a mark stands before this place, and no word or path before the mark. */
function isSetOff(text: string, start: number): boolean {
  if (start === 0 || !OPENING.has(text[start - 1]!)) return false;
  return start === 1 || /[\s([{,;]/.test(text[start - 2]!);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function wordsOf(text: string): { word: string; at: number }[] {
  return [...fold(text).matchAll(WORD)].map(({ 0: word, index: at }) => ({ word, at }));
}
