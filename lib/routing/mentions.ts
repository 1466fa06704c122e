import { FNV_BASIS, fold, hashOn, MOST_WORDS, wordsOf } from '../registry/name-key.ts';

/** What may stand between the words of a name. */
const JOINT = /^[-_ .:/]$/;
/** Marks that say a name is meant as one. */
const OPENING = new Set(['`', '"', "'", '“', '‘', '«', '「', '/', '$', '@']);

export interface Mention {
  /** Row of the skill. */
  readonly row: number;
  /**
   * Whether it is meant beyond doubt: written with its joints (`pdf-table-extract`) or set off by a
   * mark (`/deploy`, "deploy"). Plain words may name a skill by chance.
   */
  readonly explicit: boolean;
}

/** Finds names in texts; it holds no more of the names than their hashes. */
export class NameIndex {
  readonly #hashes: ReadonlySet<number>;
  readonly #rowsOf: (key: string) => readonly number[];

  /**
   * @param hashes of the names' keys; others among them do no harm.
   * @param rowsOf the skills whose name has a key.
   */
  constructor(hashes: ReadonlySet<number>, rowsOf: (key: string) => readonly number[]) {
    this.#hashes = hashes;
    this.#rowsOf = rowsOf;
  }

  /** The skills that a text names, by row; each once. */
  mentions(text: string): Mention[] {
    const folded = fold(text);
    const words = wordsOf(folded);
    const found = new Map<number, boolean>();
    for (let first = 0; first < words.length; first++) {
      const start = words[first]!.at;
      let hash = FNV_BASIS;
      let joined = true;
      for (let n = 1; n <= MOST_WORDS && first + n <= words.length; n++) {
        const { word, at } = words[first + n - 1]!;
        if (n > 1) {
          const before = words[first + n - 2]!;
          const joint = folded.slice(before.at + before.word.length, at);
          if (!JOINT.test(joint)) break;
          joined &&= joint !== ' ';
        }
        hash = hashOn(n === 1 ? hash : hashOn(hash, ' '), word);
        if (!this.#hashes.has(hash >>> 1)) continue;
        const key = words.slice(first, first + n).map(({ word }) => word);
        const rows = this.#rowsOf(key.join(' '));
        if (rows.length === 0) continue;
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
