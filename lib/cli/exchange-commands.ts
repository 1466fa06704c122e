import type { Command } from 'commander';
import { exportStore, importStore } from '../registry/store/exchange.ts';
import { SkillStore } from '../registry/store/skill-store.ts';

interface ImportFlags {
  cache: string;
  fingerprint?: string;
}

/** `skillspan export` and `skillspan import`: stores as files that other tools read and write. */
export function addExchangeCommands(program: Command): void {
  program
    .command('export')
    .description('write the skills of a store as JSON Lines, and their vectors as a NumPy matrix')
    .argument('<skills.jsonl>', 'a line about the whole, then one a skill')
    .argument('<vectors.npy>', 'float32, a row a skill, in the same order')
    .requiredOption('--cache <folder>', 'where the store is')
    .action(async (skills: string, vectors: string, { cache }: { cache: string }) => {
      const exported = await withStore(cache, (store) => exportStore(store, { skills, vectors }));
      console.log(`${exported.skills} skills of ${exported.dim} dimensions written`);
    });
  program
    .command('import')
    .description('take skills and their vectors into a store; what has an id already is replaced')
    .argument('<skills.jsonl>', 'as `export` writes it')
    .argument('<vectors.npy>', 'float32, C order, a row of norm 1 a skill')
    .requiredOption('--cache <folder>', 'where the store is, or is to be')
    .option('--fingerprint <text>', 'of the encoder, where the first line does not name it')
    .action(async (skills: string, vectors: string, { cache, fingerprint }: ImportFlags) => {
      const files = { skills, vectors, ...(fingerprint && { fingerprint }) };
      const taken = await withStore(cache, (store) => importStore(store, files));
      console.log(
        `${taken.added} added, ${taken.changed} changed, ${taken.unchanged} unchanged; ` +
          `${taken.dim} dimensions`,
      );
    });
}

async function withStore<T>(dir: string, work: (store: SkillStore) => Promise<T>): Promise<T> {
  const store = SkillStore.open(dir);
  if (store.problem) console.error(store.problem);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
