import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { firstCodePoints } from '../code-points.ts';
import { fieldText, findField } from './field-text.ts';
import { readFields } from './fields.ts';
import { firstParagraph } from './first-paragraph.ts';
import { splitFrontMatter } from './front-matter.ts';
import { LIMITS } from './limits.ts';
import { decodeUtf8, normaliseText, removeInvisible, reportInvisible } from './text.ts';
import type { RegistryWarning, Warn } from './warning.ts';

/** A skill as the rest of the package sees it: clean text, and an identity. */
export interface Skill {
  /** Unique in its registry, and stable while the folder stays where it is. */
  readonly id: string;
  /** On one line; not necessarily unique. */
  readonly name: string;
  /** May be empty. */
  readonly description: string;
  /** Markdown with lines ended by `\n`, without blank lines before it or white space after it. */
  readonly body: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** The other fields of the front matter: plain data, as their author wrote it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** See {@link contentHash}. */
  readonly contentHash: string;
}

/** What came of one file; where the skill is undefined, the last warning says why. */
export interface ParsedSkill {
  readonly skill: Skill | undefined;
  readonly warnings: readonly RegistryWarning[];
}

// A symbolic link that was committed or unpacked as a text file.
const PATH_ALONE = /^(?:\.{1,2}\/.+|\S+\.md)$/i;

/**
 * Reads one SKILL.md. Never throws: what can be understood is mended with a warning, and a file with nothing
 * to understand gives no skill. Bytes are decoded as UTF-8.
 */
export function parseSkill(
  source: string | Uint8Array,
  place: { readonly id: string; readonly path: string },
): ParsedSkill {
  const warnings: RegistryWarning[] = [];
  const warn: Warn = (code, line, message) => {
    warnings.push({ path: place.path, line, code, message });
  };
  const content = readContent(source, place.path, warn);
  return { skill: content && { ...content, id: place.id, path: place.path }, warnings };
}

/**
 * Identifies a content wherever it lies: the SHA-256, in hexadecimal, of the UTF-8 bytes of
 * `JSON.stringify([name, description, body])`, the three as they stand in {@link Skill}.
 * Line ends, a byte order mark, metadata, quoting and key order therefore do not matter to it.
 */
export function contentHash({
  name,
  description,
  body,
}: Pick<Skill, 'name' | 'description' | 'body'>): string {
  return createHash('sha256')
    .update(JSON.stringify([name, description, body]))
    .digest('hex');
}

function readContent(
  source: string | Uint8Array,
  path: string,
  warn: Warn,
): Omit<Skill, 'id' | 'path'> | undefined {
  const decoded = typeof source === 'string' ? source : decodeUtf8(source, warn);
  const text = normaliseText(decoded, warn);
  if (PATH_ALONE.test(text.trim())) {
    warn('link-as-text', 1, `skipped: the file holds only a path, ${text.trim()}`);
    return undefined;
  }

  const { fields, fieldsLine, rawBody, bodyLine } = readParts(text, warn);
  reportInvisible(rawBody, (code, line, message) => warn(code, bodyLine + line - 1, message));
  const body = trimBlank(rawBody);
  const nameField = findField(fields, 'name', warn);
  const descriptionField = findField(fields, 'description', warn);
  let name = fieldText(nameField, warn).replace(/\s+/g, ' ');
  let description = fieldText(descriptionField, warn);
  if (description === '' && body === '') {
    warn('empty-skill', fieldsLine, 'skipped: no description and no body');
    return undefined;
  }

  // Where there is no front matter, a warning has said so, and these two would only repeat it.
  const warnOfGap: Warn = fields ? warn : () => {};
  if (name === '') {
    name = basename(dirname(path));
    const line = nameField?.line ?? fieldsLine;
    warnOfGap('name-missing', line, `no name; the folder's is used, ${name}`);
  }
  if (description === '') {
    description = describe(body);
    const remedy = description === '' ? 'and no prose in the body' : 'the first paragraph is used';
    const line = descriptionField?.line ?? fieldsLine;
    warnOfGap('description-missing', line, `no description; ${remedy}`);
  } else if (firstCodePoints(description, LIMITS.description) !== description) {
    const message = `description longer than ${LIMITS.description} characters, kept whole`;
    warn('description-long', descriptionField!.line, message);
  }

  const others = [...(fields ?? [])].filter(
    ([, field]) => field !== nameField && field !== descriptionField,
  );
  const metadata = Object.fromEntries(others.map(([key, { value }]) => [key, value]));
  return {
    name,
    description,
    body,
    metadata,
    contentHash: contentHash({ name, description, body }),
  };
}

/** Front matter without a single field is no front matter, and the whole text is the body. */
function readParts(text: string, warn: Warn) {
  const { frontMatter, body, bodyLine } = splitFrontMatter(text, warn);
  const fields = frontMatter && readFields(frontMatter.yaml, frontMatter.line, warn);
  return fields
    ? { fields, fieldsLine: frontMatter.line, rawBody: body, bodyLine }
    : { fields, fieldsLine: 1, rawBody: text, bodyLine: 1 };
}

/** A description out of the body, whose invisible characters have been reported. */
function describe(body: string): string {
  const visible = removeInvisible(firstParagraph(body), () => {});
  return firstCodePoints(visible, LIMITS.description).trim();
}

function trimBlank(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
