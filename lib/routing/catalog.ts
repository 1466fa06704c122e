import { LexicalIndex } from '../lexical-index.ts';
import { sumFromBlob } from '../registry/store/changes.ts';
import type { StoreReader } from '../registry/store/reader.ts';
import type { SkillCard, StoredSkill } from '../registry/store/stored-skill.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { Indexes } from './indexes.ts';
import { NameIndex } from './mentions.ts';
import { Prerequisites } from './prerequisites.ts';
import type { Query } from './retrieval.ts';
import { bm25Units } from './scoring.ts';
import { termsOf } from './terms.ts';
import type { Retriever } from './types.ts';

/** Skills indexed in one step: the term counts of a whole registry would fill the heap. */
const ADDED_AT_ONCE = 4_096;

/**
 * A registry at one moment, as routing looks things up in it: vectors, words and texts are of the same
 * change, and stay so whatever happens to the store. A skill's row is its id in the indexes.
 */
export class Catalog {
  /** Number of the change. */
  readonly change: number;
  /** Number of skills. */
  readonly size: number;
  /** Every row lies below it. */
  readonly rowLimit: number;
  readonly names: NameIndex;
  readonly prerequisites: Prerequisites;
  /** Mean of all vectors: its product with a text is the text's mean cosine with all skills. */
  readonly mean: Float32Array;
  /** How alike its skills are; see {@link redundancyOf}. */
  readonly redundancy: number;
  /** Units of BM25; see RECIPE.saturation. */
  readonly units: (score: number) => number;
  readonly #reader: StoreReader;
  #index: VectorIndex;
  #bm25: LexicalIndex;
  #tfidf: LexicalIndex | undefined;

  constructor(
    reader: StoreReader,
    { vectors, words }: Indexes,
    { names, redundancy }: { names: ReadonlySet<number>; redundancy: number },
  ) {
    this.#reader = reader;
    this.#index = vectors;
    this.#bm25 = words;
    this.change = reader.change;
    this.size = reader.size;
    this.rowLimit = reader.rowLimit;
    this.names = new NameIndex(names, (key) => reader.rowsOfName(key));
    this.prerequisites = new Prerequisites(reader.declaring(), (row) => reader.needsOf(row));
    this.mean = meanOf(reader, vectors.dim);
    this.redundancy = redundancy;
    this.units = bm25Units(reader.size);
  }

  get index(): VectorIndex {
    return this.#index;
  }

  /** The index of words that a request needs; undefined where it needs none. */
  wordsFor(retriever: Retriever, { vectors }: Query): LexicalIndex | undefined {
    if (retriever === 'dense' && vectors) return undefined;
    return retriever === 'tfidf' ? this.#tfIdf() : this.#bm25;
  }

  /** What is shown of a skill. */
  card(row: number): SkillCard {
    return this.#reader.card(row);
  }

  skill(row: number): StoredSkill {
    return this.#reader.skill(row);
  }

  /** All rows, ascending. */
  rows(): number[] {
    return this.#reader.rowsAfter(-1);
  }

  /** The row of a skill; undefined for an id that is none of them. */
  rowOf(id: string): number | undefined {
    return this.#reader.rowOf(id);
  }

  /** About how many tokens a skill's whole text has. */
  tokensOf(row: number): number {
    return this.#reader.tokensOf(row);
  }

  /** To be called before the indexes change: this catalog goes on with them as they are. */
  freeze(): void {
    this.#index = this.#index.fork();
    this.#bm25 = this.#bm25.fork();
  }

  close(): void {
    this.#reader.close();
  }

  /** Built when first asked for: reading every body takes its time. */
  #tfIdf(): LexicalIndex {
    if (this.#tfidf) return this.#tfidf;
    const index = new LexicalIndex({ model: 'tf-idf' });
    const rows = this.rows();
    for (let first = 0; first < rows.length; first += ADDED_AT_ONCE) {
      const some = rows.slice(first, first + ADDED_AT_ONCE);
      index.addSync(some.map((row) => [row, termsOf(this.#reader.textOf(row))]));
    }
    this.#tfidf = index;
    return index;
  }
}

/** The mean of all vectors; zeros where there are none. */
export function meanOf(reader: StoreReader, dim: number): Float32Array {
  const sum = reader.meta('sum') as Buffer | undefined;
  if (!sum || reader.size === 0) return new Float32Array(dim);
  return Float32Array.from(sumFromBlob(sum), (value) => value / reader.size);
}
