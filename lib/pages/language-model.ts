import type { LanguageModel } from 'ai';
import { z } from 'zod';
import { asData } from '../as-data.ts';
import { firstCodePoints } from '../code-points.ts';
import { loadSdk } from '../load-sdk.ts';
import { estimateTokens } from '../tokens.ts';
import { readAnswer } from './answers.ts';
import { PAGE_LIMITS, type PageTexts } from './page.ts';
import {
  labelOf,
  NEIGHBOURHOOD_SYSTEM,
  PROMPT_VERSION,
  SINGLE_SYSTEM,
  unitPrompt,
} from './prompts.ts';
import { BadAnswer, withRetries } from './retries.ts';
import type { Unit } from './units.ts';

export interface LanguageModelOptions {
  /** Time for one call, in milliseconds. Default 120,000. */
  timeout?: number;
  /** Calls for one neighbourhood before it is given up, at least 1. Default 4. */
  attempts?: number;
  /** Wait before the second call, in milliseconds, doubled with every further one. Default 1,000. */
  backoff?: number;
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A language model that writes pages. */
export interface PageWriter {
  /** The model's name, for the provenance. */
  readonly model: string;
  readonly promptVersion: string;
  /** About what a unit costs. */
  estimate(unit: Unit): Tokens;
  /**
   * The pages of a unit, in its order.
   * @throws what the last of several calls failed with.
   */
  write(unit: Unit, options: WriteOptions): Promise<PageTexts[]>;
}

export interface WriteOptions {
  /** Called after every call that was answered, whatever the answer. */
  spent(tokens: Tokens): void;
  /** What an editor said of the last page of each member. */
  remarks: readonly (readonly string[])[];
  signal: AbortSignal;
}

/** Tokens that a page is expected to have. */
const OUTPUT_TOKENS = 300;

const answerSchema = z.strictObject({
  pages: z.array(
    z.strictObject({
      label: z.string(),
      positiveTrigger: z.string(),
      negativeBoundary: z.string(),
      body: z.string(),
    }),
  ),
});

/**
 * A writer over any language model of the AI SDK (the optional peer `ai`): temperature 0, answers checked
 * against a schema, for every member exactly one page within its limits.
 */
export function pageWriter(
  model: LanguageModel,
  { timeout = 120_000, attempts = 4, backoff = 1_000 }: LanguageModelOptions = {},
): PageWriter {
  return {
    model: typeof model === 'string' ? model : model.modelId,
    promptVersion: PROMPT_VERSION,
    estimate: (unit) => ({
      input: estimateTokens(systemOf(unit)) + estimateTokens(unitPrompt(unit)),
      output: OUTPUT_TOKENS * unit.length,
    }),
    async write(unit, { spent, remarks, signal }) {
      const { generateText } = await loadSdk();
      const ask = async (failure: unknown) => {
        const complaint = failure instanceof BadAnswer ? complain(failure.message) : '';
        const deadline = AbortSignal.timeout(timeout);
        // Not generateObject: what an endpoint does with a response format it does not know is anybody's guess.
        const { text, usage } = await generateText({
          model,
          system: systemOf(unit),
          prompt: unitPrompt(unit) + remarksOf(remarks) + complaint,
          temperature: 0,
          maxRetries: 0,
          abortSignal: AbortSignal.any([signal, deadline]),
        });
        spent({ input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 });
        return toTexts(readAnswer(text, answerSchema), unit);
      };
      return withRetries(ask, { attempts, backoff, signal });
    },
  };
}

function remarksOf(remarks: readonly (readonly string[])[]): string {
  const lines = remarks.flatMap((some, i) => some.map((text) => `${labelOf(i)}: ${asData(text)}`));
  if (lines.length === 0) return '';
  return `\n\nAn editor said of the last pages, and you mend it:\n${lines.join('\n')}`;
}

/** At temperature 0 the same question would get the same answer. */
function complain(problem: string): string {
  return `\n\nYour last answer could not be used: ${problem} Answer again, with JSON only.`;
}

function systemOf(unit: Unit): string {
  return unit.length === 1 ? SINGLE_SYSTEM : NEIGHBOURHOOD_SYSTEM;
}

/** @throws {BadAnswer} for labels that are not those asked for, and for texts that are no page's. */
function toTexts({ pages }: z.infer<typeof answerSchema>, unit: Unit): PageTexts[] {
  const byLabel = new Map(pages.map((page) => [page.label, page]));
  const labels = unit.map((_, i) => labelOf(i));
  if (pages.length !== unit.length || labels.some((label) => !byLabel.has(label))) {
    const came = pages.map(({ label }) => label).join(', ');
    throw new BadAnswer(`expected a page each for ${labels.join(', ')}, got ${came || 'none'}`);
  }
  return labels.map((label) => {
    const page = byLabel.get(label)!;
    const text = (field: keyof typeof PAGE_LIMITS) => {
      const line = page[field].replace(/\s+/g, ' ').trim();
      const limit = PAGE_LIMITS[field];
      if (firstCodePoints(line, limit) === line) return line;
      throw new BadAnswer(`${label} ${field}: expected at most ${limit} characters, got more`);
    };
    const texts = {
      positiveTrigger: text('positiveTrigger'),
      negativeBoundary: text('negativeBoundary'),
      body: text('body'),
    };
    if (texts.positiveTrigger === '') throw new BadAnswer(`${label}: expected a positive trigger`);
    return texts;
  });
}
