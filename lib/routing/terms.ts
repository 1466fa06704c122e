import type { SkillText } from '../registry/store/reader.ts';
import { countTerms } from '../tokenize.ts';
import { RECIPE } from './recipe.ts';

/** The terms of a skill and how much each counts. */
export function termsOf({ name, description, body }: SkillText): Map<string, number> {
  const { fieldWeights } = RECIPE;
  return countTerms([
    { text: name, weight: fieldWeights.name },
    { text: description, weight: fieldWeights.description },
    { text: body, weight: fieldWeights.body },
  ]);
}
