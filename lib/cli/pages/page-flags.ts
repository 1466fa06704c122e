import { join } from 'node:path';
import type { Command } from 'commander';
import { type PageWriter, pageWriter } from '../../pages/language-model.ts';
import { PageFile } from '../../pages/page-file.ts';
import { number } from '../arguments.ts';
import { type EndpointFlags, KEY_VARIABLE, openModel } from '../endpoint.ts';

export interface WriterFlags extends EndpointFlags {
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

/** The file of pages: the one given, or the registry's own. */
export function openPages(path: string | undefined, cacheDir: string): PageFile {
  return new PageFile(path ?? join(cacheDir, 'pages.jsonl'));
}
