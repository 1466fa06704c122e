// A process that reads while another writes, and checks every state that it sees, until it has seen a
// given step: reader.ts ROOT LAST. Prints how many different ones there were.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { LiveCatalog } from '../../lib/routing/live-catalog.ts';
import { WordEncoder } from '../support/word-encoder.ts';
import { stepOf } from './steps.ts';

const [, , root, last] = process.argv;
const store = SkillStore.open(join(root!, '.skillspan'));
while (store.size === 0) await setTimeout(5);
const live = await LiveCatalog.open(store, new WordEncoder());
const seen = new Set<number>();
let step = 0;
while (step < Number(last)) {
  step = await live.use((catalog) => stepOf(catalog, step, 2));
  seen.add(step);
  await setTimeout(1);
}
await live.close();
console.log(seen.size);
