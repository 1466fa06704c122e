import { firstCodePoints } from '../../code-points.ts';
import { html, Markup } from '../../eval/report/markup.ts';
import type { NeighbourhoodStatistics } from '../../pages/neighbourhoods.ts';
import type { Page } from '../../pages/page.ts';
import type { Skill } from '../../registry/registry.ts';

const STYLE = new Markup(`
:root { color-scheme: light dark; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
section { border-top: 1px solid var(--line); margin-top: 1.5rem; }
h2 { font-size: 1rem; margin: .6rem 0; } dl { margin: 0 0 .8rem 1rem; } dt { font-weight: 600; }
dd { margin: 0 0 .2rem 1rem; overflow-wrap: anywhere; } b { display: inline-block; min-width: 2rem; }
`);

/** Code points shown of a description. */
const SHOWN = 300;

/**
 * Neighbourhoods for a person to judge: members, and what their pages say of each other. One file that needs
 * nothing else; texts are escaped, and the page may load and run nothing.
 */
export function renderNeighbourhoods(
  groups: readonly (readonly Skill[])[],
  statistics: NeighbourhoodStatistics,
  pages: ReadonlyMap<string, Page>,
): string {
  const { rows, neighbourhoods, singles, singleShare } = statistics;
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>Skillspan neighbourhoods</title>
<style>${STYLE}</style></head><body>
<h1>Neighbourhoods</h1>
<p>${rows} skills: ${neighbourhoods} neighbourhoods, ${singles} single (${(100 * singleShare).toFixed(1)} %).</p>
${[...groups]
  .sort((a, b) => b.length - a.length)
  .map(
    (skills, i) => html`<section><h2>${i + 1}: ${skills.length} skills</h2>
<dl>${skills.map((skill) => member(skill, pages.get(skill.id)))}</dl></section>
`,
  )}</body></html>
`;
  return page.text;
}

function member({ id, name, description }: Skill, page: Page | undefined): Markup {
  const said = page
    ? html`<dd><b>T⁺</b> ${page.positiveTrigger}</dd><dd><b>T⁻</b> ${page.negativeBoundary}</dd><dd><b>B</b> ${page.body}</dd>`
    : '';
  return html`<dt title="${id}">${name}</dt><dd>${firstCodePoints(description, SHOWN)}</dd>${said}
`;
}
