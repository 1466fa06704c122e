import { setImmediate } from 'node:timers/promises';
import type { Skill } from '../registry/registry.ts';
import { tokenize } from '../tokenize.ts';
import { clauseKind } from './clauses.ts';
import { sentencesOf } from './prose.ts';

/** A sentence that so many skills share is a template's, and says nothing of any of them. */
const SHARED = 3;

/** Sentences of a body that count, beside its clauses: what a skill is stands at its beginning. */
export const OPENING = 40;

type Content = Pick<Skill, 'name' | 'description' | 'body'>;

/** What is common in a registry, and therefore tells no skill from another. */
export class CorpusStatistics {
  #documents = 0;
  readonly #frequency = new Map<string, number>();
  readonly #sentences = new Map<string, number>();

  /** Reads all skills, giving the event loop a turn now and then. */
  static async of(skills: readonly Content[], signal?: AbortSignal): Promise<CorpusStatistics> {
    const statistics = new CorpusStatistics();
    for (const [i, skill] of skills.entries()) {
      if (i % 64 === 63) await setImmediate();
      signal?.throwIfAborted();
      statistics.#add(skill);
    }
    return statistics;
  }

  /** ln((1 + N) / (1 + df)), at least 0. */
  idf(term: string): number {
    return Math.log((1 + this.#documents) / (1 + (this.#frequency.get(term) ?? 0)));
  }

  /** Whether several skills have this sentence, each perhaps with its own name in it. */
  isShared(sentence: string, { name }: Content): boolean {
    return (this.#sentences.get(keyOf(sentence, name)) ?? 0) >= SHARED;
  }

  #add(skill: Content): void {
    this.#documents += 1;
    for (const term of new Set(termsOf(skill))) {
      this.#frequency.set(term, (this.#frequency.get(term) ?? 0) + 1);
    }
    const own = new Set<string>();
    for (const [i, sentence] of sentencesOf(`${skill.description}\n\n${skill.body}`).entries()) {
      if (i < OPENING || clauseKind(sentence)) own.add(keyOf(sentence.text, skill.name));
    }
    for (const key of own) this.#sentences.set(key, (this.#sentences.get(key) ?? 0) + 1);
  }
}

/** All terms of a skill, repeated as they repeat. */
export function termsOf({ name, description, body }: Content): string[] {
  return tokenize(`${name}\n${description}\n${body}`);
}

function keyOf(sentence: string, name: string): string {
  const own = new Set(tokenize(name));
  return tokenize(sentence)
    .filter((term) => !own.has(term))
    .join(' ');
}
