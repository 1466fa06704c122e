import type { LexicalModel } from '../contract.ts';
import { LexicalIndex } from '../lexical-index.ts';
import type { Skill } from '../registry/registry.ts';
import { countTerms } from '../tokenize.ts';
import { RECIPE } from './recipe.ts';
import type { Query } from './retrieval.ts';
import type { Retriever } from './types.ts';

/** Skills indexed in one step: the term counts of a whole registry would fill the heap. */
const ADDED_AT_ONCE = 4_096;

/** The words of a registry, a lexical index for each way to weigh them. */
export class WordIndexes {
  readonly #skills: readonly Skill[];
  readonly #indexes = new Map<LexicalModel, LexicalIndex>();

  constructor(skills: readonly Skill[]) {
    this.#skills = skills;
  }

  /** The index that a request needs; undefined where it needs none. */
  for(retriever: Retriever, { vectors }: Query): LexicalIndex | undefined {
    if (retriever === 'dense' && vectors) return undefined;
    return this.#index(retriever === 'tfidf' ? 'tf-idf' : 'bm25');
  }

  /** Built when first asked for: reading every body takes its time. */
  #index(model: LexicalModel): LexicalIndex {
    const built = this.#indexes.get(model);
    if (built) return built;
    const index = new LexicalIndex({ model });
    for (let first = 0; first < this.#skills.length; first += ADDED_AT_ONCE) {
      const chunk = this.#skills.slice(first, first + ADDED_AT_ONCE);
      index.addSync(chunk.map((skill, i) => [first + i, termsOf(skill)]));
    }
    this.#indexes.set(model, index);
    return index;
  }
}

function termsOf({ name, description, body }: Skill): Map<string, number> {
  const { fieldWeights } = RECIPE;
  return countTerms([
    { text: name, weight: fieldWeights.name },
    { text: description, weight: fieldWeights.description },
    { text: body, weight: fieldWeights.body },
  ]);
}
