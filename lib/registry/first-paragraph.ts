const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING_OR_RULE = /^ {0,3}(?:#{1,6}(?:\s|$)|(?:[-*_][ \t]*){3,}$)/;
const SETEXT_UNDERLINE = /^ {0,3}(?:=+|-+)[ \t]*$/;
// Lists, quotes, tables, HTML, images and badges, link definitions, indented text.
const OTHER_MARKUP = /^(?:\s|[-*+]\s|\d+[.)]\s|[>|<]|!\[|\[!\[|\[[^\]]+\]:)/;

/** The first paragraph of prose in a Markdown text, on one line; empty where there is none. */
export function firstParagraph(markdown: string): string {
  let paragraph: string[] = [];
  let openFence: string | undefined;
  // Prose that follows a list or a table without a gap belongs to it.
  let mayBegin = true;
  for (const line of markdown.split('\n')) {
    const fence = FENCE.exec(line)?.[1];
    if (openFence !== undefined) {
      if (fence?.startsWith(openFence)) openFence = undefined;
      continue;
    }
    if (paragraph.length > 0 && SETEXT_UNDERLINE.test(line)) {
      paragraph = [];
      continue;
    }
    const isBoundary = fence !== undefined || line.trim() === '' || HEADING_OR_RULE.test(line);
    if (paragraph.length > 0) {
      if (isBoundary) break;
      paragraph.push(line.trim());
    } else if (isBoundary) {
      mayBegin = true;
    } else if (mayBegin && !OTHER_MARKUP.test(line)) {
      paragraph.push(line.trim());
    } else {
      mayBegin = false;
    }
    openFence = fence;
  }
  return paragraph.join(' ');
}
