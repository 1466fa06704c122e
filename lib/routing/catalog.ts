import type { Skill } from '../registry/registry.ts';
import { estimateTokens } from '../tokens.ts';
import { VectorIndex } from '../vector-index.ts';
import { NameIndex } from './mentions.ts';
import { Prerequisites } from './prerequisites.ts';
import { bm25Units } from './scoring.ts';
import { WordIndexes } from './word-indexes.ts';

/** A registry as routing looks things up in it. A skill's row is its place in `skills`. */
export class Catalog {
  readonly skills: readonly Skill[];
  readonly index: VectorIndex;
  readonly words: WordIndexes;
  readonly names: NameIndex;
  readonly prerequisites: Prerequisites;
  /** Mean of all vectors: its product with a text is the text's mean cosine with all skills. */
  readonly mean: Float32Array;
  /** Units of BM25; see RECIPE.saturation. */
  readonly units: (score: number) => number;
  readonly #rows: ReadonlyMap<string, number>;

  /** @param vectors skills.length × dim, of norm 1. */
  constructor(skills: readonly Skill[], vectors: Float32Array, dim: number) {
    this.skills = skills;
    this.index = VectorIndex.from(vectors, { dim });
    this.words = new WordIndexes(skills);
    this.names = new NameIndex(skills.map(({ name }) => name));
    this.prerequisites = new Prerequisites(skills);
    this.mean = meanOf(vectors, dim);
    this.units = bm25Units(skills.length);
    this.#rows = new Map(skills.map(({ id }, row) => [id, row]));
  }

  /** The row of a skill; undefined for an id that is none of them. */
  rowOf(id: string): number | undefined {
    return this.#rows.get(id);
  }

  /** About how many tokens a skill's whole text has. */
  tokensOf(row: number): number {
    const { name, description, body } = this.skills[row]!;
    return estimateTokens(name) + estimateTokens(description) + estimateTokens(body);
  }
}

function meanOf(vectors: Float32Array, dim: number): Float32Array {
  const mean = new Float64Array(dim);
  for (let i = 0; i < vectors.length; i++) mean[i % dim]! += vectors[i]!;
  return Float32Array.from(mean, (sum) => (sum * dim) / vectors.length);
}
