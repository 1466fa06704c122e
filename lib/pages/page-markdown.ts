import { parse, stringify } from 'yaml';
import { Prose, unexpected } from '../errors.ts';
import { type Page, readPage } from './page.ts';

/** The file beside a SKILL.md that holds its page for people to read. */
export const PAGE_FILE_NAME = 'CAPABILITY.md';

const SECTIONS = [
  ['Use when', 'positiveTrigger'],
  ['Not for', 'negativeBoundary'],
  ['What it does', 'body'],
] as const;

/**
 * A page as Markdown: provenance in the front matter, and each text quoted below a heading, so that no
 * text can pass for a heading. {@link parsePageMarkdown} reads it back.
 */
export function pageMarkdown({ skill, contentHash, provenance, ...texts }: Page): string {
  const facts = stringify({ skill, contentHash, provenance }, { lineWidth: 0 });
  const sections = SECTIONS.map(([heading, field]) => `## ${heading}\n\n> ${texts[field]}\n`);
  return `---\n${facts}---\n\n${sections.join('\n')}`;
}

/**
 * @param place where the text stands, for the error.
 * @throws {SkillspanError} `ERR_PAGE_INVALID`.
 */
export function parsePageMarkdown(text: string, place: string): Page {
  const [, facts, rest] =
    /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replace(/\r\n/g, '\n')) ?? [];
  if (facts === undefined || rest === undefined) {
    const came = new Prose('a text without front matter');
    throw unexpected('ERR_PAGE_INVALID', place, 'front matter and three sections', came);
  }
  const texts = SECTIONS.map(([heading, field]) => {
    const [, quoted] = new RegExp(`^## ${heading}\\n\\n> ?(.*)$`, 'm').exec(rest) ?? [];
    if (quoted !== undefined) return [field, quoted.trim()] as const;
    const came = new Prose('none');
    throw unexpected('ERR_PAGE_INVALID', place, `a quotation below "## ${heading}"`, came);
  });
  return readPage({ ...readFacts(facts, place), ...Object.fromEntries(texts) }, place);
}

function readFacts(facts: string, place: string): object {
  try {
    const value: unknown = parse(facts);
    if (typeof value === 'object' && value !== null) return value;
    throw new Error('no mapping');
  } catch (cause) {
    const came = new Prose((cause as Error).message);
    throw unexpected('ERR_PAGE_INVALID', place, 'front matter in YAML', came, { cause });
  }
}
