import type { Evaluation } from '../evaluate.ts';
import { STRATA, type Stratum } from '../summary.ts';

/** The dataset in a line, and in one more each what was left out of it. */
export function describeDataset({ dataset, methods, config }: Evaluation): string[] {
  const { name, format, skills, requests, notes } = dataset;
  const { single, multi } = methods[config.baseline]!;
  return [
    `${name} (${format}): ${skills} skills, ${requests} requests, ${single.n} of them single-skill and ${multi.n} multi-skill`,
    ...notes,
  ];
}

/** The strata worth showing: not empty, and not the same as all. */
export function strataWithRequests({ methods, config }: Evaluation): Stratum[] {
  const result = methods[config.baseline]!;
  return STRATA.filter(
    (stratum) => result[stratum].n > 0 && (stratum === 'all' || result[stratum].n < result.all.n),
  );
}

/** Milliseconds with three digits; a dash where nothing was measured. */
export function milliseconds(value: number | undefined): string {
  if (value === undefined) return '–';
  return value < 10 ? value.toPrecision(3) : value.toFixed(1);
}
