import type { Skill } from '../../registry/registry.ts';
import type { Evaluation } from '../evaluate.ts';
import type { Stratum } from '../summary.ts';
import { type Sweep, sweptName } from '../sweep.ts';
import { lineChart } from './chart.ts';
import { exampleSection } from './example-section.ts';
import { html, Markup } from './markup.ts';
import { costTable, figureTable } from './tables.ts';
import { describeDataset, strataWithRequests } from './wording.ts';

export interface HtmlOptions {
  /** The skills of the dataset, for the examples. */
  readonly skills: readonly Skill[];
  /** The sweeps whose methods are among those evaluated; each gets a chart. */
  readonly sweeps: readonly Sweep[];
}

const STYLE = new Markup(`
:root { color-scheme: light dark; --line: #8884; --good: #0a7d32; --bad: #c0341d; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
.charts, .pair { display: flex; flex-wrap: wrap; gap: 1.5rem; }
figure { margin: 0; flex: 1 1 420px; max-width: 560px; } figcaption { font-weight: 600; }
.pair > div { flex: 1 1 420px; overflow-x: auto; }
svg { width: 100%; } svg text { font-size: 11px; fill: currentColor; } .grid { stroke: var(--line); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; margin: 0; }
.key { width: 28px; height: 8px; margin-right: .4rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .6rem; text-align: right; }
tbody th, thead th:first-child { text-align: left; font-weight: 500; }
small { display: block; font-size: 11px; white-space: nowrap; opacity: .75; }
small.better { color: var(--good); opacity: 1; } small.worse { color: var(--bad); opacity: 1; }
details { border-left: 4px solid var(--line); padding: .2rem .8rem; margin: .5rem 0; }
details.win { border-color: var(--good); } details.loss { border-color: var(--bad); }
summary { cursor: pointer; } blockquote { white-space: pre-wrap; margin: .5rem 0; overflow-wrap: anywhere; }
tr.gold { background: #0a7d3222; } code { overflow-wrap: anywhere; }
`);

/**
 * A report of an evaluation in one file that needs nothing else: coverage by k, sweeps, all figures with
 * their intervals, latency and redundancy, and examples of wins and losses. Texts of skills and requests are
 * escaped, and the page may load and run nothing.
 */
export function renderHtml(evaluation: Evaluation, { skills, sweeps }: HtmlOptions): string {
  const { dataset, config } = evaluation;
  const strata = strataWithRequests(evaluation);
  const swept = new Set(sweeps.flatMap((sweep) => sweep.values.map((v) => sweptName(sweep, v))));
  const [summary, ...notes] = describeDataset(evaluation);
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
<title>Skillspan evaluation: ${dataset.name}</title>
<style>${STYLE}</style></head><body>
<h1>${dataset.name}</h1>
<p>${summary!}. Baseline ${config.baseline}, ${config.resamples} bootstrap resamples, seed ${config.seed}, encoder <code>${config.encoder.slice(0, 16)}</code>.</p>
${notes.map((note) => html`<p>${note}</p>`)}
<h2>Full coverage by shortlist size</h2>
<p>The share of requests whose gold skills are all among the first k.</p>
<div class="charts">${strata.map((stratum) => coverageChart(evaluation, stratum, swept))}</div>
${sweeps.length > 0 ? html`<h2>Sweeps of dsr</h2><div class="charts">${sweeps.map((sweep) => sweepChart(evaluation, strata.at(-1)!, sweep))}</div>` : ''}
${strata.map((stratum) => html`<h2>Figures, ${stratum}: n = ${evaluation.methods[config.baseline]![stratum].n}</h2>${figureTable(evaluation, stratum)}`)}
<p>Below each figure its difference from ${config.baseline} and the 95 % interval of that, by paired bootstrap.</p>
<h2>Latency and redundancy</h2>
${costTable(evaluation)}
<p>A dash under encode: every vector came from the cache, or the method embeds nothing. Overlap is the mean cosine over the pairs of a shortlist.</p>
<h2>Wins and losses</h2>
<p>The first requests that one of the two covers and the other does not. Gold skills have a coloured row.</p>
${exampleSections(evaluation, skills, swept)}
</body></html>
`;
  return page.text;
}

function coverageChart(
  { methods, config }: Evaluation,
  stratum: Stratum,
  swept: ReadonlySet<string>,
): Markup {
  const series = Object.entries(methods)
    .filter(([name]) => !swept.has(name))
    .map(([name, result]) => ({ name, values: config.k.map((k) => result[stratum][`FC@${k}`]!) }));
  return lineChart(`FC@k by k, ${stratum}`, config.k, series);
}

/** The narrowest stratum shows most: multi-skill requests where there are any. */
function sweepChart({ methods, config }: Evaluation, stratum: Stratum, sweep: Sweep): Markup {
  const series = config.k.map((k) => ({
    name: `FC@${k}`,
    values: sweep.values.map((v) => methods[sweptName(sweep, v)]![stratum][`FC@${k}`]!),
  }));
  return lineChart(`FC@k by ${sweep.parameter}, ${stratum}`, sweep.values, series);
}

function exampleSections(
  { examples, methods, config }: Evaluation,
  skills: readonly Skill[],
  swept: ReadonlySet<string>,
): Markup[] {
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  return Object.keys(methods).flatMap((method) => {
    const own = examples.filter((example) => example.method === method && !swept.has(method));
    return own.length === 0 ? [] : [exampleSection(method, config.baseline, own, byId)];
  });
}
