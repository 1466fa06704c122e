import type { Evaluation } from '../evaluate.ts';
import type { Stratum } from '../summary.ts';
import { describeDataset, milliseconds, strataWithRequests } from './wording.ts';

/** The main figures as tables for a terminal; an asterisk where the interval excludes no difference. */
export function renderText(evaluation: Evaluation): string {
  const { config, methods } = evaluation;
  const [highest, lowest] = [config.k.at(-1)!, config.k[0]!];
  const metrics = [
    'Hit@1',
    ...config.k.map((k) => `FC@${k}`),
    ...new Set([`R@${lowest}`, `R@${highest}`, `MRR@${highest}`, `nDCG@${highest}`]),
  ];
  const figures = (stratum: Stratum) => [
    [`${stratum}, n = ${methods[config.baseline]![stratum].n}`, ...metrics],
    ...Object.entries(methods).map(([name, result]) => [
      name,
      ...metrics.map((metric) => {
        const interval = result.versusBaseline?.[stratum][metric];
        const isDifferent = interval && (interval.low > 0 || interval.high < 0);
        return `${result[stratum][metric]!.toFixed(3)}${isDifferent ? '*' : ' '}`;
      }),
    ]),
  ];
  const costs = [
    ['median ms', 'encode', 'search', 'select', ...config.k.map((k) => `overlap@${k}`)],
    ...Object.entries(methods).map(([name, { latencyMs, redundancy }]) => [
      name,
      ...[latencyMs.encode, latencyMs.search, latencyMs.select].map((time) =>
        milliseconds(time?.median),
      ),
      ...config.k.map((k) => redundancy[`@${k}`]?.toFixed(3) ?? '–'),
    ]),
  ];
  return [
    ...describeDataset(evaluation),
    ...strataWithRequests(evaluation).flatMap((stratum) => ['', ...align(figures(stratum))]),
    '',
    `* differs from ${config.baseline} (95 %, paired bootstrap, ${config.resamples} resamples)`,
    '',
    ...align(costs),
  ].join('\n');
}

/** Columns of equal width, the first to the left. */
function align(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, c) => Math.max(...rows.map((row) => row[c]!.length)));
  return rows.map((row) =>
    row
      .map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!)))
      .join('  ')
      .trimEnd(),
  );
}
