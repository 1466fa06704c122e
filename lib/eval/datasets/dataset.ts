import { Prose, unexpected } from '../../errors.ts';
import { contentHash, type Skill } from '../../registry/skill-file.ts';

/** A request and the skills that together cover it. */
export interface EvalRequest {
  readonly id: string;
  /** More than white space. */
  readonly text: string;
  /** The ids of the skills it needs: at least one, each once, each of the dataset's skills. */
  readonly gold: readonly string[];
  /** Graded gain of skills by id, at least 0, for nDCG; without it every gold skill gains 1. */
  readonly relevance?: ReadonlyMap<string, number>;
}

/** Skills, and requests whose answers are known. */
export interface Dataset {
  readonly name: string;
  readonly format: string;
  readonly skills: readonly Skill[];
  readonly requests: readonly EvalRequest[];
  /** What the reader left out and why, each on one line. */
  readonly notes: readonly string[];
}

/** Where a record stands, `file:line`, for messages. */
export type Place = string;

/** Builds a skill out of a record of a corpus; its path is the corpus, as it has no file of its own. */
export function toSkill(
  id: string,
  content: Pick<Skill, 'name' | 'description' | 'body'>,
  corpus: string,
): Skill {
  return { id, ...content, path: corpus, metadata: {}, contentHash: contentHash(content) };
}

/** Collects records and refuses two of one id. */
export class ById<T> {
  readonly #what: string;
  readonly #entries = new Map<string, { readonly record: T; readonly place: Place }>();

  /** @param what what the ids are called in messages, such as `skill_id`. */
  constructor(what: string) {
    this.#what = what;
  }

  /** @throws {SkillspanError} `ERR_DATASET_INVALID` naming both places. */
  add(id: string, record: T, place: Place): void {
    const earlier = this.#entries.get(id);
    if (earlier) {
      const came = new Prose(`${JSON.stringify(id)}, which ${earlier.place} has`);
      throw unexpected('ERR_DATASET_INVALID', `${place} ${this.#what}`, 'an id of its own', came);
    }
    this.#entries.set(id, { record, place });
  }

  has(id: string): boolean {
    return this.#entries.has(id);
  }

  get records(): T[] {
    return [...this.#entries.values()].map(({ record }) => record);
  }
}

/**
 * Gold ids without repetition, all of them known.
 * @throws {SkillspanError} `ERR_DATASET_INVALID` naming the unknown ones.
 */
export function knownGold(gold: readonly string[], skills: ById<unknown>, place: Place): string[] {
  const unique = [...new Set(gold)];
  const unknown = unique.filter((id) => !skills.has(id));
  if (unknown.length > 0) {
    const came = new Prose(unknown.map((id) => JSON.stringify(id)).join(', '));
    throw unexpected('ERR_DATASET_INVALID', `${place} gold`, 'ids of the corpus', came);
  }
  return unique;
}
