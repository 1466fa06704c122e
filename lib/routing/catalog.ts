import { LexicalIndex } from '../lexical-index.ts';
import { sumFromBlob } from '../registry/store/changes.ts';
import type { StoreReader } from '../registry/store/reader.ts';
import type { SkillCard, StoredSkill } from '../registry/store/stored-skill.ts';
import type { VectorIndex } from '../vector-index.ts';
import type { CompiledFilter } from './filter.ts';
import type { Indexes } from './indexes.ts';
import { NameIndex } from './mentions.ts';
import { Prerequisites } from './prerequisites.ts';
import type { Query } from './retrieval.ts';
import { bm25Units } from './scoring.ts';
import { termsOf } from './terms.ts';
import type { Retriever } from './types.ts';

/** Skills indexed in one step: the term counts of a whole registry would fill the heap. */
const ADDED_AT_ONCE = 4_096;

/** Filters whose rows are remembered; each takes a bit a skill. */
const MOST_FILTERS = 256;

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
  /** By the key of the filter. */
  readonly #filtered = new Map<string, Uint32Array>();
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

  /** What is shown of a skill: where it lies in several places, that below these folders. */
  card(row: number, folders?: readonly string[]): SkillCard {
    return folders ? this.#reader.cardBelow(row, folders) : this.#reader.card(row);
  }

  /** A bitmap of the rows that pass a filter; not to be changed. */
  rowsWhere({ key, facts, folders }: CompiledFilter): Uint32Array {
    const known = this.#filtered.get(key);
    if (known) return known;
    const each = facts.map((fact) => this.#bitmap(this.#reader.rowsWith(fact)));
    if (folders) {
      each.push(this.#bitmap(folders.flatMap((folder) => this.#reader.rowsBelow(folder))));
    }
    const rows = this.#bitmap([]).map((_, word) =>
      each.reduce((bits, one) => bits & one[word]!, 0xffff_ffff),
    );
    if (this.#filtered.size >= MOST_FILTERS) this.#filtered.clear();
    this.#filtered.set(key, rows);
    return rows;
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

  #bitmap(rows: readonly number[]): Uint32Array {
    const words = new Uint32Array(Math.ceil(this.rowLimit / 32));
    for (const row of rows) words[row >>> 5]! |= 1 << (row & 31);
    return words;
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
