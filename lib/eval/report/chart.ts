import { html, type Markup } from './markup.ts';

/** One line of a chart. */
export interface Series {
  readonly name: string;
  /** One value a tick, in [0, 1]. */
  readonly values: readonly number[];
}

const WIDTH = 460;
const HEIGHT = 280;
const MARGIN = { left: 44, right: 12, top: 12, bottom: 40 };

/** Told apart also by those who see few colours: of Okabe and Ito 2008, and each round with other dashes. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8a6d00', '#56b4e9', '#444444'];
const DASHES = ['', '6 3', '2 2'];

/** A line chart as inline SVG, ticks evenly apart, with its legend. */
export function lineChart(
  title: string,
  ticks: readonly (string | number)[],
  series: readonly Series[],
): Markup {
  const top = niceTop(Math.max(...series.flatMap(({ values }) => values)));
  const inner = {
    width: WIDTH - MARGIN.left - MARGIN.right,
    height: HEIGHT - MARGIN.top - MARGIN.bottom,
  };
  const x = (tick: number) => round(MARGIN.left + (inner.width * (tick + 0.5)) / ticks.length);
  const y = (value: number) => round(MARGIN.top + inner.height * (1 - value / top));
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const value = share * top;
    return html`<line x1="${MARGIN.left}" x2="${WIDTH - MARGIN.right}" y1="${y(value)}" y2="${y(value)}" class="grid"/>
<text x="${MARGIN.left - 6}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(2)}</text>`;
  });
  return html`<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
${grid}
${ticks.map((tick, i) => html`<text x="${x(i)}" y="${HEIGHT - 22}" text-anchor="middle">${tick}</text>`)}
${series.map(({ name, values }, s) => line(name, values, s))}
</svg>
<ul class="legend">${series.map(
    ({ name }, s) =>
      html`<li><svg viewBox="0 0 28 8" class="key"><line x1="0" x2="28" y1="4" y2="4" ${style(s)}/></svg>${name}</li>`,
  )}</ul></figure>`;

  function line(name: string, values: readonly number[], s: number): Markup {
    const points = values.map((value, i) => `${x(i)},${y(value)}`).join(' ');
    return html`<polyline points="${points}" ${style(s)}/>
${values.map(
  (value, i) =>
    html`<circle cx="${x(i)}" cy="${y(value)}" r="3.5" fill="${colour(s)}"><title>${name} at ${ticks[i]!}: ${value.toFixed(3)}</title></circle>`,
)}`;
  }
}

function style(series: number): Markup {
  const dash = DASHES[Math.floor(series / COLOURS.length) % DASHES.length]!;
  return html`fill="none" stroke="${colour(series)}" stroke-width="2" stroke-dasharray="${dash}"`;
}

function colour(series: number): string {
  return COLOURS[series % COLOURS.length]!;
}

/** A round number at or above the highest value, so that the quarters of the axis are round too. */
function niceTop(highest: number): number {
  return [0.04, 0.2, 0.4, 0.6, 0.8].find((top) => highest <= top) ?? 1;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
