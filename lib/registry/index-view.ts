import type { Skill } from './skill-file.ts';

/** Changes whenever {@link indexView} does, and with it the fingerprint of whatever encoded the text. */
export const INDEX_VIEW_VERSION = 1;

/** The text of a skill that is embedded and searched: `name | description | body`. */
export function indexView({
  name,
  description,
  body,
}: Pick<Skill, 'name' | 'description' | 'body'>): string {
  return `${name} | ${description} | ${body}`;
}
