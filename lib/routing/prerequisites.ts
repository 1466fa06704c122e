/** What skills need, by what they say: see {@link requiredBy}. */
export class Prerequisites {
  readonly #declaring: ReadonlySet<number>;
  readonly #needsOf: (row: number) => readonly number[];

  /**
   * @param declaring the rows that say they need something.
   * @param needsOf the skills that such a row names.
   */
  constructor(declaring: ReadonlySet<number>, needsOf: (row: number) => readonly number[]) {
    this.#declaring = declaring;
    this.#needsOf = needsOf;
  }

  /** A skill's prerequisites and theirs, nearest first, without the skill itself. */
  of(row: number): number[] {
    if (!this.#declaring.has(row)) return [];
    const found = new Set([row]);
    for (const next of found) {
      if (this.#declaring.has(next)) for (const need of this.#needsOf(next)) found.add(need);
    }
    found.delete(row);
    return [...found];
  }
}
