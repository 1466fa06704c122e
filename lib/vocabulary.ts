import type { TermList } from './contract.ts';
import { Prose, unexpected } from './errors.ts';

/** One half of a surrogate pair without the other: no text, and nothing that UTF-8 can say. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The terms of an index, numbered in the order they first come. */
export class Vocabulary {
  readonly #numbers = new Map<string, number>();

  /**
   * @param path where the list comes from, for the error.
   * @throws {SkillspanError} `ERR_CORRUPT_INDEX` if a term comes twice.
   */
  static from(path: string, [text, lengths]: TermList): Vocabulary {
    const vocabulary = new Vocabulary();
    let at = 0;
    for (const [number, length] of lengths.entries()) {
      vocabulary.#numbers.set(text.slice(at, at + length), number);
      at += length;
    }
    if (vocabulary.#numbers.size < lengths.length) {
      const came = new Prose('a damaged or foreign file');
      throw unexpected('ERR_CORRUPT_INDEX', path, 'no term twice', came);
    }
    return vocabulary;
  }

  /** The number of a term, which is given one if it has none. */
  numberOf(term: string): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(term, number);
    }
    return number;
  }

  /** The number of a term that has one. */
  find(term: string): number | undefined {
    return this.#numbers.get(term);
  }

  /** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for a term that UTF-8 cannot hold. */
  list(): TermList {
    const terms = [...this.#numbers.keys()];
    const bad = terms.find((term) => LONE_SURROGATE.test(term));
    if (bad !== undefined) {
      throw unexpected('ERR_INVALID_ARGUMENT', 'terms', 'Unicode without lone surrogates', bad);
    }
    return [terms.join(''), Uint32Array.from(terms, (term) => term.length)];
  }
}
