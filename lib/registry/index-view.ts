import { firstCodePoints, type SkillCaps } from '../models/text-form.ts';
import type { Skill } from './skill-file.ts';

/** Changes whenever {@link indexView} does, and with it the fingerprint of whatever encoded the text. */
export const INDEX_VIEW_VERSION = 1;

/**
 * The text of a skill that is embedded, reranked and searched: `name | description | body`.
 * @param caps code points that a model looks at. Default: all of it.
 */
export function indexView(
  { name, description, body }: Pick<Skill, 'name' | 'description' | 'body'>,
  caps: SkillCaps = {},
): string {
  const cut = (text: string, count = Infinity) => firstCodePoints(text, count);
  return `${name} | ${cut(description, caps.description)} | ${cut(body, caps.body)}`;
}
