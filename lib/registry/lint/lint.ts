import { basename, dirname } from 'node:path';
import { LIMITS } from '../limits.ts';
import { byCodeUnit } from '../order.ts';
import type { Registry, Skill, WarningCode } from '../registry.ts';
import { nearDuplicates } from './near-duplicates.ts';

/** What a finding is about. Stable, as warning codes are. */
export type LintCode =
  | WarningCode
  | 'name-characters'
  | 'name-long'
  | 'name-not-folder'
  | 'description-without-when'
  | 'unknown-field'
  | 'field-type'
  | 'field-long'
  | 'duplicate'
  | 'near-duplicate'
  | 'near-duplicate-by-embedding';

/** Something that is off about a skill. */
export interface Finding {
  /** Absolute path of the SKILL.md. */
  readonly path: string;
  /** Counted from 1; 1 as well where no line applies. */
  readonly line: number;
  readonly code: LintCode;
  readonly message: string;
}

// https://agentskills.io/specification
const FIELDS = ['license', 'compatibility', 'metadata', 'allowed-tools'];
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Words by which a description says when its skill is of use, in the languages of most skills. */
const WHEN =
  /\b(?:when(?:ever)?|use (?:this|it|for|to|if|after|before|proactively)|used (?:for|to|when)|for use|if (?:the|a|an|you)|trigger(?:s|ed)?|wenn|quand|lorsque|cuando|quando)\b|[当當时時]|用于|とき|場合|使う/iu;
const LETTERS = /\p{L}/u;

/**
 * What is off about the skills of a registry in the terms of the Agent Skills specification, and what
 * would make them hard to tell apart. Sorted by path, then line.
 */
export function lintRegistry({ skills, warnings }: Registry): Finding[] {
  const findings: Finding[] = [...warnings, ...skills.flatMap(lintSkill)];
  for (const { a, b, similarity } of nearDuplicates(skills)) {
    const other = skills[a]!.path;
    const isSame = skills[a]!.contentHash === skills[b]!.contentHash;
    const share = `${Math.round(100 * similarity)} % of the phrases of both`;
    findings.push({
      path: skills[b]!.path,
      line: 1,
      code: isSame ? 'duplicate' : 'near-duplicate',
      message: isSame ? `the same as ${other}` : `nearly the same as ${other}: ${share}`,
    });
  }
  return findings.sort((a, b) => byCodeUnit(a.path, b.path) || a.line - b.line);
}

function lintSkill({ name, description, metadata, path }: Skill): Finding[] {
  const findings: Finding[] = [];
  const find = (code: LintCode, message: string) => {
    findings.push({ path, line: 1, code, message });
  };
  if (!NAME.test(name)) {
    const expected = 'lower-case letters, digits and single hyphens between them';
    find('name-characters', `name: expected ${expected}, got ${JSON.stringify(name)}`);
  }
  if ([...name].length > LIMITS.name) {
    find('name-long', `name: expected at most ${LIMITS.name} characters, got ${[...name].length}`);
  }
  const folder = basename(dirname(path));
  if (name !== folder) find('name-not-folder', `name: expected that of its folder, ${folder}`);
  if (LETTERS.test(description) && !WHEN.test(description)) {
    find('description-without-when', 'description: it does not say when to use the skill');
  }

  for (const [key, value] of Object.entries(metadata)) {
    if (!FIELDS.includes(key)) {
      find('unknown-field', `${key}: not a field of the specification; metadata may hold it`);
    } else if (key === 'metadata') {
      if (!isTexts(value)) find('field-type', 'metadata: expected texts by their names');
    } else if (typeof value !== 'string') {
      find('field-type', `${key}: expected a text`);
    } else if (key === 'compatibility' && [...value].length > LIMITS.compatibility) {
      const came = [...value].length;
      find(
        'field-long',
        `${key}: expected at most ${LIMITS.compatibility} characters, got ${came}`,
      );
    }
  }
  return findings;
}

function isTexts(value: unknown): boolean {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string');
}
