import { firstCodePoints } from '../code-points.ts';
import type { SkillCaps } from '../models/text-form.ts';
import type { Skill } from './skill-file.ts';

/** Changes whenever {@link indexView} does, and with it the fingerprint of whatever encoded the text. */
export const INDEX_VIEW_VERSION = 1;

/** What stands between the parts of a view. */
const SEPARATOR = ' | ';

/** The text of a skill that is embedded, reranked and searched: `name | description | body`. */
export function indexView({
  name,
  description,
  body,
}: Pick<Skill, 'name' | 'description' | 'body'>): string {
  return [name, description, body].join(SEPARATOR);
}

/**
 * A view cut to what a model looks at, in code points of its parts. Where a name or a description holds
 * the separator itself, the parts are taken to end there.
 */
export function cutView(view: string, caps: SkillCaps | undefined): string {
  if (!caps) return view;
  const [name = '', description = '', ...body] = view.split(SEPARATOR);
  const cut = (text: string, count = Infinity) => firstCodePoints(text, count);
  return [name, cut(description, caps.description), cut(body.join(SEPARATOR), caps.body)].join(
    SEPARATOR,
  );
}
