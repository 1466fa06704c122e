import type { Command } from 'commander';
import { type OpenOptions, openRegistry, printWarnings } from './open.ts';

interface SyncFlags extends OpenOptions {
  reEmbed?: boolean;
  json?: boolean;
}

/** `skillspan sync <dir…>`: makes the store say what the folders say, and says what that took. */
export function addSyncCommand(program: Command): void {
  program
    .command('sync')
    .description('take over what is new, changed or gone below the folders, and embed it')
    .argument('<dir...>', 'registry folders')
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--cache <folder>', 'where the store is (default: .skillspan in the first folder)')
    .option('--re-embed', 'embed a store of another model anew')
    .option('--json', 'print the report as JSON')
    .action(async (roots: string[], options: SyncFlags) => {
      const router = await openRegistry(roots, options);
      const { report } = router;
      await router.dispose();
      if (options.json) {
        console.log(JSON.stringify(report, undefined, 2));
        return;
      }
      printWarnings(report);
      const { skills, embedded, cached, dim, warnings, cacheDir, files } = report;
      const { added, changed, removed, unchanged, skipped } = files!;
      console.log(
        `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged, ` +
          `${skipped} skipped; ${warnings.length} warnings\n` +
          `${skills} skills: ${embedded} texts embedded, ${cached} known\n` +
          `${dim} dimensions, kept in ${cacheDir}`,
      );
    });
}
