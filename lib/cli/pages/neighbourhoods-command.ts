import type { Command } from 'commander';
import {
  findNeighbourhoods,
  type NeighbourhoodSettings,
  type NeighbourhoodStatistics,
  neighbourhoodStatistics,
  readSettings,
} from '../../pages/neighbourhoods.ts';
import { number, numbers } from '../arguments.ts';
import { progressBar } from '../progress.ts';
import { writePage } from '../write-page.ts';
import { type EmbeddedSkills, type SkillFlags, withEmbeddedSkills } from './open-skills.ts';
import { openPages } from './page-flags.ts';
import { renderNeighbourhoods } from './render-neighbourhoods.ts';

/** How neighbourhoods are found; the same for every command that needs them. */
export interface NeighbourhoodFlags extends SkillFlags {
  buckets?: number;
  distance?: number;
  maxSize?: number;
  minSize?: number;
  seed?: number;
}

interface Flags extends NeighbourhoodFlags {
  sweepBuckets?: number[];
  sweepDistance?: number[];
  html?: string;
  pages?: string;
  json?: boolean;
}

/** Options that every command on neighbourhoods has. */
export function withNeighbourhoodOptions(command: Command): Command {
  return command
    .requiredOption('--registry <dir...>', 'registry folders')
    .option('--buckets <number>', 'clusters of k-means (default: by size, at most 200)', number)
    .option('--distance <number>', 'cosine distance that neighbours lie within (0.15)', number)
    .option('--max-size <number>', 'a larger neighbourhood is split (10)', number)
    .option('--min-size <number>', 'skills of a smaller one are single (3)', number)
    .option('--seed <number>', 'of k-means', number)
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--cache <folder>', 'what is kept (default: .skillspan in the first folder)');
}

export function settingsOf(flags: NeighbourhoodFlags): NeighbourhoodSettings {
  const { buckets, distance, maxSize, minSize, seed } = flags;
  return {
    ...(buckets !== undefined && { buckets }),
    ...(distance !== undefined && { distance }),
    ...(maxSize !== undefined && { maxSize }),
    ...(minSize !== undefined && { minSize }),
    ...(seed !== undefined && { seed }),
  };
}

/** Neighbourhoods of embedded skills, with a progress bar. */
async function neighbourhoodsOf({ vectors, dim }: EmbeddedSkills, settings: NeighbourhoodSettings) {
  const bar = progressBar('clustering');
  try {
    return await findNeighbourhoods(vectors, { dim, ...settings, onProgress: bar.step });
  } finally {
    bar.stop();
  }
}

/** `skillspan pages neighbourhoods`: which skills are easily confused, and how that depends on the cut. */
export function addNeighbourhoodsCommand(pages: Command): void {
  withNeighbourhoodOptions(
    pages
      .command('neighbourhoods')
      .description('which skills are easily confused, and how that depends on the settings'),
  )
    .option('--sweep-buckets <numbers>', 'several numbers of buckets, parted by commas', numbers)
    .option('--sweep-distance <numbers>', 'several distances, parted by commas', numbers)
    .option('--html <file>', 'write a page with every neighbourhood, and what its pages say')
    .option('--pages <file>', 'pages for --html (default: pages.jsonl in the cache)')
    .option('--json', 'print members and statistics as JSON')
    .action(async (flags: Flags) => {
      const settings = settingsOf(flags);
      readSettings(1, settings);
      await withEmbeddedSkills(flags, async (embedded) => {
        const { skills } = embedded;
        const found = await neighbourhoodsOf(embedded, settings);
        const statistics = neighbourhoodStatistics(found);
        const sweep = await swept(embedded, settings, flags);
        if (flags.html) {
          const pages = await openPages(flags.pages, embedded.cacheDir).load();
          const members = found.groups.map((rows) => rows.map((row) => skills[row]!));
          await writePage(flags.html, renderNeighbourhoods(members, statistics, pages));
        }
        const groups = found.groups.map((rows) => rows.map((row) => skills[row]!.id));
        if (flags.json) {
          const used = readSettings(skills.length, settings);
          const singles = found.singles.map((row) => skills[row]!.id);
          console.log(
            JSON.stringify({ settings: used, statistics, sweep, groups, singles }, undefined, 2),
          );
          return;
        }
        console.log(renderStatistics(statistics, sweep));
        for (const ids of groups) console.log(`\n${ids.join('\n')}`);
      });
    });
}

interface Swept {
  readonly buckets: number;
  readonly distance: number;
  readonly statistics: NeighbourhoodStatistics;
}

/** Every number of buckets with every distance; nothing where neither is to be swept. */
async function swept(
  embedded: EmbeddedSkills,
  settings: NeighbourhoodSettings,
  { sweepBuckets, sweepDistance }: Flags,
): Promise<Swept[]> {
  if (!sweepBuckets && !sweepDistance) return [];
  const used = readSettings(embedded.skills.length, settings);
  const results: Swept[] = [];
  for (const buckets of sweepBuckets ?? [used.buckets]) {
    for (const distance of sweepDistance ?? [used.distance]) {
      const found = await neighbourhoodsOf(embedded, { ...settings, buckets, distance });
      results.push({ buckets, distance, statistics: neighbourhoodStatistics(found) });
    }
  }
  return results;
}

function renderStatistics(statistics: NeighbourhoodStatistics, sweep: readonly Swept[]): string {
  const { rows, neighbourhoods, singles, singleShare, meanSize, sizes } = statistics;
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  return [
    `${rows} skills: ${neighbourhoods} neighbourhoods` +
      (meanSize === undefined ? '' : ` of ${meanSize.toFixed(1)} on average`) +
      `, ${singles} single (${percent(singleShare)})`,
    `sizes: ${
      Object.entries(sizes)
        .map(([size, count]) => `${count} of ${size}`)
        .join(', ') || 'none'
    }`,
    ...(sweep.length > 0 ? ['', 'buckets  distance  neighbourhoods  mean size  single'] : []),
    ...sweep.map(({ buckets, distance, statistics: { neighbourhoods, meanSize, singleShare } }) =>
      [
        String(buckets).padStart(7),
        distance.toFixed(3).padStart(8),
        String(neighbourhoods).padStart(14),
        (meanSize?.toFixed(2) ?? '–').padStart(9),
        percent(singleShare).padStart(6),
      ].join('  '),
    ),
  ].join('\n');
}
