import { firstCodePoints } from '../code-points.ts';

/** How a text is written for a model: what stands before it, and where it is cut. Data, so that it can be hashed. */
export interface TextForm {
  readonly prefix: string;
  /** Code points of the text that are used, prefix not counted. Undefined: all of it. */
  readonly codePoints?: number;
}

/** Code points of a skill's parts that a model was trained on. Undefined: all of them. */
export interface SkillCaps {
  readonly description?: number;
  readonly body?: number;
}

/** A text as the model wants it. */
export function write(text: string, { prefix, codePoints }: TextForm): string {
  return prefix + (codePoints === undefined ? text : firstCodePoints(text, codePoints));
}
