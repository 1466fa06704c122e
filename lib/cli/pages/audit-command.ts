import type { Command } from 'commander';
import { auditPages, type Finding } from '../../pages/audit.ts';
import { compilePages } from '../../pages/compile.ts';
import { CorpusStatistics } from '../../pages/corpus-statistics.ts';
import { updatedUnits } from '../../pages/updates.ts';
import { number } from '../arguments.ts';
import { progressBar } from '../progress.ts';
import type { CompileFlags } from './compile-command.ts';
import { settingsOf, withNeighbourhoodOptions } from './neighbourhoods-command.ts';
import { withEmbeddedSkills } from './open-skills.ts';
import { openPages, openWriter, withWriterOptions } from './page-flags.ts';

interface Flags extends CompileFlags {
  fix?: boolean;
  overlap?: number;
}

/** `skillspan pages audit`: what is wrong with pages; with `--fix` they are compiled again. */
export function addAuditCommand(pages: Command): void {
  const command = pages.command('audit').description('list what is wrong with the pages');
  withWriterOptions(withNeighbourhoodOptions(command))
    .option('--pages <file>', 'where pages are kept (default: pages.jsonl in the cache)')
    .option('--overlap <number>', 'cosine from which triggers of neighbours overlap (0.92)', number)
    .option('--fix', 'let the language model write the pages that are listed again, and no others')
    .option('--json', 'print the findings as JSON')
    .action(async (flags: Flags) => {
      const writer = await openWriter(flags);
      if (flags.fix && !writer) {
        console.error('--fix without --llm: extractive pages come out as they were');
      }
      await withEmbeddedSkills(flags, async (embedded) => {
        const { skills, vectors, dim, encoder, cacheDir } = embedded;
        const store = openPages(flags.pages, cacheDir);
        const audit = async () =>
          auditPages(skills, await store.load(), {
            encoder,
            ...(flags.overlap !== undefined && { overlap: flags.overlap }),
          });
        let findings = await audit();
        if (flags.fix && findings.length > 0) {
          const present = await store.load();
          const options = { dim, ...settingsOf(flags) };
          const { units } = await updatedUnits(skills, vectors, present, options);
          const remarks = remarksOf(findings);
          const bar = progressBar('compiling');
          await compilePages(
            units.filter((unit) => unit.some(({ id }) => remarks.has(id))),
            {
              store,
              statistics: await CorpusStatistics.of(skills),
              remarks,
              ...(writer && { writer }),
              ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
              ...(flags.perMinute !== undefined && { perMinute: flags.perMinute }),
              onProgress: bar.step,
            },
          ).finally(bar.stop);
          findings = await audit();
        }
        const lines = findings.map(({ skill, code, message }) => `${skill}: ${code}: ${message}`);
        if (flags.json) console.log(JSON.stringify(findings, undefined, 2));
        else console.log([...lines, `${findings.length} findings`].join('\n'));
      });
    });
}

function remarksOf(findings: readonly Finding[]): Map<string, string[]> {
  const remarks = new Map<string, string[]>();
  for (const { skill, message } of findings) {
    remarks.set(skill, [...(remarks.get(skill) ?? []), message]);
  }
  return remarks;
}
