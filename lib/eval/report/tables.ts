import type { Interval } from '../bootstrap.ts';
import type { Evaluation } from '../evaluate.ts';
import { metricNames } from '../metrics.ts';
import { STAGES, type Stratum } from '../summary.ts';
import { html, type Markup } from './markup.ts';
import { milliseconds } from './wording.ts';

/** Every metric of every method; below it the difference from the baseline with its interval. */
export function figureTable({ methods, config }: Evaluation, stratum: Stratum): Markup {
  const metrics = metricNames(config.k);
  return html`<div class="wide"><table><thead><tr><th>method</th>${metrics.map((metric) => html`<th>${metric}</th>`)}</tr></thead><tbody>
${Object.entries(methods).map(
  ([name, result]) =>
    html`<tr><th>${name}</th>${metrics.map(
      (metric) =>
        html`<td>${result[stratum][metric]!.toFixed(3)}${difference(result.versusBaseline?.[stratum][metric])}</td>`,
    )}</tr>
`,
)}</tbody></table></div>`;
}

/** Median and 95th percentile of every stage, and the overlap within the shortlists. */
export function costTable({ methods, config }: Evaluation): Markup {
  return html`<div class="wide"><table><thead><tr><th>method</th>${STAGES.map((stage) => html`<th>${stage}, ms</th>`)}${config.k.map((k) => html`<th>overlap@${k}</th>`)}</tr></thead><tbody>
${Object.entries(methods).map(
  ([name, { latencyMs, redundancy }]) =>
    html`<tr><th>${name}</th>${STAGES.map((stage) => {
      const { median, p95 } = latencyMs[stage] ?? {};
      return html`<td>${milliseconds(median)}<small>p95 ${milliseconds(p95)}</small></td>`;
    })}${config.k.map((k) => html`<td>${redundancy[`@${k}`]?.toFixed(3) ?? '–'}</td>`)}</tr>
`,
)}</tbody></table></div>`;
}

function difference(interval: Interval | undefined): Markup {
  if (!interval) return html``;
  const { low, high } = interval;
  const verdict = low > 0 ? 'better' : high < 0 ? 'worse' : 'even';
  return html`<small class="${verdict}">${signed(interval.difference)}<br/>${signed(low)} … ${signed(high)}</small>`;
}

function signed(value: number): string {
  const text = value.toFixed(3);
  if (Number(text) === 0) return '0.000';
  return value > 0 ? `+${text}` : text.replace('-', '−');
}
