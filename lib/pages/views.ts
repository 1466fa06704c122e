import { firstCodePoints } from '../code-points.ts';
import { indexView } from '../registry/index-view.ts';
import type { Skill } from '../registry/registry.ts';
import type { Page } from './page.ts';
import { sentencesOf } from './prose.ts';

/**
 * Changes whenever {@link pagedIndexView} does. It belongs into the `textView` of an encoder that reads
 * such views, and so into its fingerprint; see {@link textViewName}.
 */
export const PAGED_VIEW_VERSION = 1;

/** Tokens of the document, and of the page, that a view holds (arXiv 2608.04482), at 4 characters each. */
const LONGEST_PART = 4 * 4_096;

/** Which texts of the page are in the view; T⁻ is only for ablations, as it attracts what it is to keep away. */
export interface ViewParts {
  readonly positiveTrigger: boolean;
  readonly body: boolean;
  readonly negativeBoundary?: boolean;
}

/**
 * Where the page stands: after the document, as in the paper, or between description and body, for encoders
 * that read only the beginning of a long text.
 */
export type ViewOrder = 'document-first' | 'page-first';

export interface ViewOptions {
  readonly parts?: ViewParts;
  readonly order?: ViewOrder;
}

const FULL: ViewParts = { positiveTrigger: true, body: true };

type Content = Pick<Skill, 'name' | 'description' | 'body'>;

/**
 * The text of a skill that is embedded and searched where there are pages: the document, B and T⁺, less
 * what the description says word for word: said twice, sentences only blur what words weigh. A skill
 * whose page adds nothing has its plain {@link indexView}.
 */
export function pagedIndexView(
  skill: Content,
  page: Page | undefined,
  { parts = FULL, order = 'page-first' }: ViewOptions = {},
): string {
  if (!page) return indexView(skill);
  const { name, description, body } = skill;
  const own = [
    parts.body ? page.body : '',
    parts.positiveTrigger ? page.positiveTrigger : '',
    parts.negativeBoundary ? page.negativeBoundary : '',
  ]
    .map((text) => beyond(text, description))
    .filter((text) => text !== '');
  if (own.length === 0) return indexView(skill);
  const told = firstCodePoints(own.join(' | '), LONGEST_PART);
  if (order === 'document-first') {
    return `${firstCodePoints(indexView(skill), LONGEST_PART)} | ${told}`;
  }
  const beginning = `${name} | ${description}`;
  const room = Math.max(0, LONGEST_PART - beginning.length);
  return `${beginning} | ${told} | ${firstCodePoints(body, room)}`;
}

/** The sentences of a page's text that the description does not hold. */
function beyond(text: string, description: string): string {
  const said = description.replace(/\s+/g, ' ');
  return sentencesOf(text)
    .map((sentence) => sentence.text)
    .filter((sentence) => !said.includes(sentence))
    .join(' ');
}

/** Names a view in an encoder's fingerprint. */
export function textViewName({ parts = FULL, order = 'page-first' }: ViewOptions = {}): string {
  const { positiveTrigger, body, negativeBoundary } = parts;
  const letters = [body && 'B', positiveTrigger && 'T+', negativeBoundary && 'T-'];
  return `paged-view-${PAGED_VIEW_VERSION} ${order} ${letters.filter(Boolean).join(' ')}`;
}

/** What a router that chooses one skill reads of each candidate. */
export interface RoutingCard {
  readonly skill: string;
  readonly name: string;
  readonly description: string;
  /** T⁻; undefined where none is known. */
  readonly negativeBoundary: string | undefined;
}

export function routingCard(
  { id, name, description }: Pick<Skill, 'id' | 'name' | 'description'>,
  page: Page | undefined,
): RoutingCard {
  return { skill: id, name, description, negativeBoundary: page?.negativeBoundary || undefined };
}
