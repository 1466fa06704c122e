import { firstCodePoints } from '../../code-points.ts';
import type { Skill } from '../../registry/registry.ts';
import type { Example } from '../examples.ts';
import type { Ranking } from '../methods/method.ts';
import { html, type Markup } from './markup.ts';

/** Characters shown of a request and of a description. */
const SHOWN = { request: 1_200, description: 160 };

/** Wins and losses of one method against the baseline, each with both rankings and their traces. */
export function exampleSection(
  method: string,
  baseline: string,
  examples: readonly Example[],
  skills: ReadonlyMap<string, Skill>,
): Markup {
  return html`<section><h3>${method} against ${baseline}</h3>
${examples.map((example) => oneExample(example, baseline, skills))}
</section>`;
}

function oneExample(
  { method, outcome, k, request, ranking, baseline: other }: Example,
  baseline: string,
  skills: ReadonlyMap<string, Skill>,
): Markup {
  const gold = new Set(request.gold);
  const verdict =
    outcome === 'win' ? `covered, but not by ${baseline}` : `covered by ${baseline} alone`;
  return html`<details class="${outcome}"><summary><b>${outcome}</b> ${request.id}: ${verdict} (k = ${k})</summary>
<blockquote>${shortened(request.text, SHOWN.request)}</blockquote>
<p>Gold: ${request.gold.map((id) => html`<code title="${describe(id, skills)}">${id}</code> `)}</p>
<div class="pair">${traceTable(method, ranking, gold, skills)}${traceTable(baseline, other, gold, skills)}</div>
</details>`;
}

function traceTable(
  method: string,
  { ids, trace }: Ranking,
  gold: ReadonlySet<string>,
  skills: ReadonlyMap<string, Skill>,
): Markup {
  const traced = new Map(trace?.skills.map((skill) => [skill.id, skill]));
  const facets = trace?.facets ?? [];
  const list = html`<ol class="facets">${facets.map((facet) => html`<li>${facet}</li>`)}</ol>`;
  return html`<div><h4>${method}</h4>${facets.length > 0 ? list : ''}
<table><thead><tr><th>#</th><th>skill</th><th>score</th><th>quality</th><th>step</th><th>gain</th></tr></thead><tbody>
${ids.map((id, place) => {
  const { score, quality, step, gain } = traced.get(id) ?? {};
  return html`<tr class="${gold.has(id) ? 'gold' : ''}"><td>${place + 1}</td><th title="${describe(id, skills)}">${id}</th><td>${fixed(score)}</td><td>${fixed(quality)}</td><td>${step ?? ''}</td><td>${fixed(gain)}</td></tr>
`;
})}</tbody></table></div>`;
}

function describe(id: string, skills: ReadonlyMap<string, Skill>): string {
  const { name, description } = skills.get(id)!;
  return `${name}: ${shortened(description, SHOWN.description)}`;
}

function shortened(text: string, limit: number): string {
  const begin = firstCodePoints(text, limit);
  return begin === text ? text : `${begin} …`;
}

function fixed(value: number | undefined): string {
  return value === undefined ? '' : value.toFixed(3);
}
