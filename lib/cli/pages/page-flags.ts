import { join } from 'node:path';
import type { Command } from 'commander';
import { SkillspanError } from '../../errors.ts';
import { type PageWriter, pageWriter } from '../../pages/language-model.ts';
import { PageFile } from '../../pages/page-file.ts';
import { number } from '../arguments.ts';

/** Where the key of an endpoint is looked for: never on a command line, which others can read. */
const KEY_VARIABLE = 'SKILLSPAN_API_KEY';

export interface WriterFlags {
  llm?: string;
  baseUrl?: string;
  timeout?: number;
}

/** Options of the commands that may ask a language model. */
export function withWriterOptions(command: Command): Command {
  return command
    .option('--llm <name>', 'a language model writes the pages (default: extractive pages)')
    .option('--base-url <url>', `its OpenAI-compatible endpoint; the key is in ${KEY_VARIABLE}`)
    .option('--timeout <seconds>', 'for one call (120)', number)
    .option('--concurrency <number>', 'calls at once (4)', number)
    .option('--per-minute <number>', 'calls begun in a minute (default: no limit)', number);
}

/** The language model that the flags name; undefined where they name none. */
export async function openWriter(flags: WriterFlags): Promise<PageWriter | undefined> {
  if (!flags.llm && !flags.baseUrl) return undefined;
  const model = await openModel(flags);
  return pageWriter(model, flags.timeout === undefined ? {} : { timeout: 1_000 * flags.timeout });
}

/**
 * A model behind an OpenAI-compatible endpoint.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` where name or address is missing; `ERR_MODEL_NOT_FOUND` without
 *   the package for it.
 */
export async function openModel({ llm, baseUrl }: WriterFlags) {
  if (!llm || !baseUrl) {
    const message = 'language model: expected both --llm and --base-url, got one of them';
    throw new SkillspanError('ERR_INVALID_ARGUMENT', message);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible').catch(
    (cause: unknown) => {
      throw new SkillspanError(
        'ERR_MODEL_NOT_FOUND',
        'language model: expected the packages ai and @ai-sdk/openai-compatible, got none. ' +
          'Install them with `npm install ai@6 @ai-sdk/openai-compatible@2`.',
        { cause },
      );
    },
  );
  const apiKey = process.env[KEY_VARIABLE];
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: baseUrl,
    ...(apiKey && { apiKey }),
  });
  return provider(llm);
}

/** The file of pages: the one given, or the registry's own. */
export function openPages(path: string | undefined, cacheDir: string): PageFile {
  return new PageFile(path ?? join(cacheDir, 'pages.jsonl'));
}
