import type { z } from 'zod';
import { BadAnswer } from './retries.ts';

/**
 * The JSON object in what a model said, which may stand in a code fence or between other words.
 * @throws {BadAnswer} where there is none, or none of this schema.
 */
export function readAnswer<T>(text: string, schema: z.ZodType<T>): T {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new BadAnswer(
      `expected a JSON object, got something else (${(error as Error).message}).`,
    );
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new BadAnswer(
    `expected the JSON that was asked for: ${issue!.path.join('.')} ${issue!.message}.`,
  );
}
