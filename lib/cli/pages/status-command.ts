import type { Command } from 'commander';
import { type PageState, pagesStatus } from '../../pages/status.ts';
import { readSkills } from './open-skills.ts';
import { openPages } from './page-flags.ts';

interface Flags {
  registry: string[];
  cache?: string;
  pages?: string;
  json?: boolean;
}

/** `skillspan pages status`: which pages are still true. */
export function addStatusCommand(pages: Command): void {
  pages
    .command('status')
    .description('say which pages are missing, and which are no longer true')
    .requiredOption('--registry <dir...>', 'registry folders')
    .option('--cache <folder>', 'what is kept (default: .skillspan in the first folder)')
    .option('--pages <file>', 'where pages are kept (default: pages.jsonl in the cache)')
    .option('--json', 'print it as JSON')
    .action(async (flags: Flags) => {
      const { skills, cacheDir } = await readSkills(flags);
      const status = pagesStatus(skills, await openPages(flags.pages, cacheDir).load());
      if (flags.json) {
        console.log(JSON.stringify(status, undefined, 2));
        return;
      }
      const states = Object.entries(status.skills) as [PageState, readonly string[]][];
      for (const [state, ids] of states) {
        if (state !== 'current') for (const id of ids) console.log(`${state}: ${id}`);
      }
      for (const id of status.orphans) console.log(`orphan: ${id}`);
      const counts = states.map(([state, ids]) => `${ids.length} ${state}`);
      console.log(`${counts.join(', ')}, ${status.orphans.length} without a skill`);
    });
}
