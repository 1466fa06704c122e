import type { Command } from 'commander';
import { type OpenOptions, openRegistry, printWarnings } from './open.ts';

/** `skillspan index <dir…>`: embeds what is new or changed, and says what it found. */
export function addIndexCommand(program: Command): void {
  program
    .command('index')
    .description('read every SKILL.md below the folders and embed what is new or changed')
    .argument('<dir...>', 'registry folders')
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option(
      '--cache <folder>',
      'where embeddings are kept (default: .skillspan in the first folder)',
    )
    .option('--json', 'print the report as JSON')
    .action(async (roots: string[], options: OpenOptions & { json?: boolean }) => {
      const router = await openRegistry(roots, options);
      const { report } = router;
      await router.dispose();
      if (options.json) {
        console.log(JSON.stringify(report, undefined, 2));
        return;
      }
      printWarnings(report);
      const { skills, embedded, cached, dim, warnings, cacheDir } = report;
      console.log(
        `${skills} skills: ${embedded} embedded, ${cached} from the cache, ${warnings.length} warnings\n` +
          `${dim} dimensions, kept in ${cacheDir}`,
      );
    });
}
