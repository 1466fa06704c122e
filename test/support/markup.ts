/** An element of a parsed page: its name, attributes and the text directly in it. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

const TAG =
  /<(?<close>\/)?(?<name>[a-zA-Z][\w-]*)(?<attributes>(?:\s+[\w-]+="[^"<]*")*)\s*(?<void>\/)?>/y;
const TEXT = /[^<]+/y;

/**
 * Parses HTML written as strictly as XML: quoted attributes, every element closed, no stray `<`. Answers its
 * elements in the order of their beginnings; throws where the text is anything else.
 */
export function parseMarkup(page: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  let at = /^<!doctype html>\s*/.exec(page)?.[0].length ?? 0;
  while (at < page.length) {
    TEXT.lastIndex = TAG.lastIndex = at;
    const text = TEXT.exec(page)?.[0];
    if (text !== undefined) {
      const parent = open.at(-1);
      if (parent) parent.text += decode(text);
      else if (text.trim() !== '') throw new Error(`text outside of the page: ${text}`);
      at += text.length;
      continue;
    }
    const tag = TAG.exec(page);
    if (!tag) throw new Error(`stray < at ${at}: ${page.slice(at, at + 80)}`);
    at += tag[0].length;
    const { close, name, attributes, void: isVoid } = tag.groups as Record<string, string>;
    if (close) {
      const last = open.pop();
      if (last?.name !== name) throw new Error(`</${name}> closes <${last?.name}>`);
      continue;
    }
    const pairs = [...attributes!.matchAll(/([\w-]+)="([^"]*)"/g)];
    const element = {
      name: name!,
      attributes: Object.fromEntries(pairs.map(([, key, value]) => [key, decode(value!)])),
      text: '',
    };
    elements.push(element);
    if (!isVoid) open.push(element);
  }
  if (open.length > 0) throw new Error(`never closed: ${open.map(({ name }) => name).join()}`);
  return elements;
}

function decode(text: string): string {
  if (/&(?!(?:amp|lt|gt|quot|#39);)/.test(text)) throw new Error(`unescaped & in ${text}`);
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
