import { createHash } from 'node:crypto';
import { viewHash } from '../embeddings.ts';
import { indexView } from '../index-view.ts';
import { keyHash, nameKey } from '../name-key.ts';
import type { Skill } from '../skill-file.ts';
import { estimateTokens } from '../tokens.ts';

/** What is shown of a skill in a shortlist. */
export type SkillCard = Pick<Skill, 'id' | 'name' | 'description' | 'path'>;

/** One place where a skill lies. */
export interface Location {
  readonly id: string;
  readonly path: string;
}

/** A skill with all places where it lies, its own first; one that was imported has only its own. */
export interface StoredSkill extends Skill {
  readonly locations: readonly Location[];
}

/** The columns of a skill that follow from its content. */
export function columnsOf(skill: Skill) {
  const { name, description, body, metadata, contentHash } = skill;
  const key = nameKey(name);
  return {
    name,
    description,
    body,
    tokens: estimateTokens(name) + estimateTokens(description) + estimateTokens(body),
    nameKey: key ?? null,
    nameHash: key === undefined ? null : keyHash(key),
    contentHash,
    hash: skillHash(skill),
    view: viewHash(indexView({ name, description, body })),
    metadata: JSON.stringify(metadata),
  };
}

/**
 * Identifies a skill in a store: its content and its metadata, by which it may be filtered. Files of
 * one hash are one skill.
 */
export function skillHash({ contentHash, metadata }: Skill): string {
  return createHash('sha256')
    .update(`${contentHash} ${JSON.stringify(metadata)}`)
    .digest('hex');
}
