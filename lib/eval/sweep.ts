import { unexpected } from '../errors.ts';
import { numberBetween } from '../validate.ts';
import type { Method } from './methods/method.ts';
import { dsr } from './methods/shortlists.ts';
import type { Workbench } from './workbench.ts';

/** The parameters of `dsr` that can be swept, and the highest value of each. */
const HIGHEST = { lambda: 1, sharpness: 1e6 };

/** One parameter of `dsr` at several values, all else at its default. */
export interface Sweep {
  readonly parameter: keyof typeof HIGHEST;
  readonly values: readonly number[];
}

/**
 * Reads `lambda=0,0.5,1`.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`, `ERR_OUT_OF_RANGE`.
 */
export function parseSweep(text: string): Sweep {
  const [parameter = '', list = ''] = text.split('=');
  if (!Object.hasOwn(HIGHEST, parameter) || list.trim() === '') {
    const expected = `${Object.keys(HIGHEST).join('=… or ')}=…, numbers parted by commas`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'sweep', expected, text);
  }
  const known = parameter as Sweep['parameter'];
  // An empty item would quietly be 0.
  const numbers = list.split(',').map((item) => (item.trim() === '' ? Number.NaN : Number(item)));
  const values = new Set(numbers.map((value) => numberBetween(known, value, 0, HIGHEST[known])));
  return { parameter: known, values: [...values] };
}

/** What the method of one value of a sweep is called. */
export function sweptName({ parameter }: Sweep, value: number): string {
  return `dsr ${parameter}=${value}`;
}

/** One method a value. */
export function sweepMethods(bench: Workbench, sweep: Sweep): Method[] {
  return sweep.values.map((value) =>
    dsr(bench, { name: sweptName(sweep, value), [sweep.parameter]: value }),
  );
}
