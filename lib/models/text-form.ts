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

/** The first `count` Unicode code points of a text: never half of a surrogate pair. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let seen = 0; seen < count && end < text.length; seen++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
