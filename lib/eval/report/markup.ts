/** HTML that is safe to insert as it stands: only {@link html} makes it. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = Markup | string | number | readonly Content[];

/** Builds HTML; whatever is inserted and is not itself markup is escaped, in text and in quoted attributes. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Content[]): Markup {
  return new Markup(
    parts.map((part, i) => (i === 0 ? part : render(inserted[i - 1]!) + part)).join(''),
  );
}

function render(content: Content): string {
  if (content instanceof Markup) return content.text;
  if (Array.isArray(content)) return content.map(render).join('');
  return escapeHtml(String(content));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  // Control characters are not allowed in HTML, not even escaped.
  return text
    .replace(/(?![\t\n])\p{Cc}/gu, '\uFFFD')
    .replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
