import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { unexpected } from '../../errors.ts';
import { type CompilePlan, compilePages, planCompile } from '../../pages/compile.ts';
import { CorpusStatistics } from '../../pages/corpus-statistics.ts';
import type { Page } from '../../pages/page.ts';
import type { PageStore } from '../../pages/page-file.ts';
import { PAGE_FILE_NAME, pageMarkdown } from '../../pages/page-markdown.ts';
import type { Unit } from '../../pages/units.ts';
import { updatedUnits } from '../../pages/updates.ts';
import type { Skill } from '../../registry/registry.ts';
import { number } from '../arguments.ts';
import { progressBar } from '../progress.ts';
import {
  type NeighbourhoodFlags,
  settingsOf,
  withNeighbourhoodOptions,
} from './neighbourhoods-command.ts';
import { type EmbeddedSkills, withEmbeddedSkills } from './open-skills.ts';
import { openPages, openWriter, type WriterFlags, withWriterOptions } from './page-flags.ts';

export interface CompileFlags extends NeighbourhoodFlags, WriterFlags {
  compiler?: string;
  pages?: string;
  concurrency?: number;
  perMinute?: number;
  inputPrice?: number;
  outputPrice?: number;
  dryRun?: boolean;
  markdown?: boolean;
  recluster?: boolean;
  json?: boolean;
}

/** `skillspan pages compile`: writes the pages that are missing or no longer true. */
export function addCompileCommand(pages: Command): void {
  const command = pages
    .command('compile')
    .description('write the pages that are missing or no longer true');
  withWriterOptions(withNeighbourhoodOptions(command))
    .option('--compiler <name>', 'extractive or language-model (default: by --llm)')
    .option('--pages <file>', 'where pages are kept (default: pages.jsonl in the cache)')
    .option('--input-price <number>', 'of a million tokens, for the estimate', number)
    .option('--output-price <number>', 'of a million tokens, for the estimate', number)
    .option('--recluster', 'find all neighbourhoods anew, not only those of what has changed')
    .option('--dry-run', 'say what would be done and about what it costs')
    .option('--markdown', `also write ${PAGE_FILE_NAME} beside every SKILL.md`)
    .option('--json', 'print the report as JSON')
    .action(async (flags: CompileFlags) => {
      checkCompiler(flags);
      const writer = await openWriter(flags);
      await withEmbeddedSkills(flags, async (embedded) => {
        const { skills, cacheDir } = embedded;
        const store = openPages(flags.pages, cacheDir);
        const present = await store.load();
        const units = await partedUnits(embedded, present, flags);
        const plan = planCompile(units, present, writer);
        const estimate = describePlan(plan, flags);
        if (flags.dryRun) {
          const { kept, tokens } = plan;
          const short = { kept, toCompile: plan.units.length, tokens, cost: costOf(plan, flags) };
          console.log(flags.json ? JSON.stringify(short, undefined, 2) : estimate);
          return;
        }
        if (writer) console.error(estimate);
        const statistics = await CorpusStatistics.of(skills);
        const bar = progressBar('compiling');
        const { concurrency, perMinute } = flags;
        const report = await compilePages(units, {
          store,
          statistics,
          ...(writer && { writer }),
          ...(concurrency !== undefined && { concurrency }),
          ...(perMinute !== undefined && { perMinute }),
          onProgress: bar.step,
        }).finally(bar.stop);
        await dropOrphans(skills, store);
        if (flags.markdown) await writeMarkdown(skills, store);
        if (flags.json) {
          console.log(JSON.stringify(report, undefined, 2));
          return;
        }
        for (const { skills, reason } of report.fellBack) {
          console.error(`extractive pages for ${skills.join(', ')}: ${reason}`);
        }
        console.log(
          `${report.compiled} units compiled, ${report.kept} were there, ${report.fellBack.length} fell back` +
            (writer ? `; ${report.tokens.input} tokens in, ${report.tokens.output} out` : '') +
            `\npages in ${store.path}`,
        );
      });
    });
}

/** Neighbourhoods as the pages tell of them, new and changed skills added; or all found anew. */
async function partedUnits(
  embedded: EmbeddedSkills,
  pages: ReadonlyMap<string, Page>,
  flags: CompileFlags,
): Promise<readonly Unit[]> {
  const { skills, vectors, dim } = embedded;
  const bar = progressBar('clustering');
  const options = { dim, ...settingsOf(flags), onProgress: bar.step };
  const known = flags.recluster ? new Map<string, Page>() : pages;
  try {
    return (await updatedUnits(skills, vectors, known, options)).units;
  } finally {
    bar.stop();
  }
}

function checkCompiler({ compiler, llm }: CompileFlags): void {
  const known =
    compiler === undefined || compiler === 'extractive' || compiler === 'language-model';
  if (!known) {
    const expected = 'extractive or language-model';
    throw unexpected('ERR_INVALID_ARGUMENT', 'compiler', expected, compiler);
  }
  if (compiler === undefined || (compiler === 'language-model') === (llm !== undefined)) return;
  const expected = llm === undefined ? 'a model by --llm' : 'no --llm with extractive';
  throw unexpected('ERR_INVALID_ARGUMENT', 'compiler', expected, compiler);
}

function costOf({ tokens }: CompilePlan, { inputPrice, outputPrice }: CompileFlags) {
  if (!tokens || inputPrice === undefined || outputPrice === undefined) return undefined;
  return (tokens.input * inputPrice + tokens.output * outputPrice) / 1e6;
}

function describePlan(plan: CompilePlan, flags: CompileFlags): string {
  const { kept, units, tokens } = plan;
  const skills = units.reduce((sum, unit) => sum + unit.length, 0);
  const cost = costOf(plan, flags);
  return (
    `${units.length} units of ${skills} skills to compile, ${kept} are there` +
    (tokens ? `; about ${tokens.input} tokens in and ${tokens.output} out` : '') +
    (cost === undefined ? '' : `, ${cost.toFixed(2)} at these prices`)
  );
}

/** Removes the pages of skills that are gone. */
async function dropOrphans(skills: readonly Skill[], store: PageStore): Promise<void> {
  const pages = await store.load();
  const left = skills.flatMap(({ id }) => pages.get(id) ?? []);
  if (left.length < pages.size) await store.replace(left);
}

async function writeMarkdown(skills: readonly Skill[], store: PageStore): Promise<void> {
  const pages = await store.load();
  for (const { id, path } of skills) {
    const page = pages.get(id);
    if (page) await writeFile(join(dirname(path), PAGE_FILE_NAME), pageMarkdown(page));
  }
}
