// How long a new vector takes to be found, how long an index to be built, and what a call costs.
import { VectorIndex } from '../lib/index.ts';
import { compare } from './report.ts';
import { onOneAndAllThreads } from './threads.ts';
import { inTurn, synthetic } from './vectors.ts';

const M = 50;
const N = 80_000;
const DIM = 1_024;

function found(ids: Uint32Array, id: number): void {
  if (!ids.includes(id)) throw new Error(`vector ${id} was added and is not found`);
}

await onOneAndAllThreads(import.meta.url, async () => {
  const set = synthetic('clustered', N, DIM, 100);
  const builds = Array.from({ length: 3 }, () => {
    const started = performance.now();
    VectorIndex.from(set.vectors, { dim: DIM });
    return performance.now() - started;
  });
  console.log(`  built from ${set.name}: ${builds.map((time) => time.toFixed(0)).join(', ')} ms`);

  const index = VectorIndex.from(set.vectors, { dim: DIM });
  let next = N;
  await compare(`one vector added to ${set.name} and found`, [
    ['search alone', inTurn(set, 1, (query) => index.searchSync(query, M))],
    [
      'addSync and searchSync',
      inTurn(set, 1, (query) => {
        index.addSync([next], query);
        found(index.searchSync(query, M).ids, next++);
      }),
    ],
    [
      'add and search, awaited',
      inTurn(set, 1, async (query) => {
        await index.add([next], query);
        found((await index.search(query, M)).ids, next++);
      }),
    ],
  ]);

  const query = set.queries.slice(0, DIM);
  const one = VectorIndex.from(query, { dim: DIM });
  await compare('a call: one vector, one query', [
    ['searchSync', () => one.searchSync(query, 1)],
    ['search, awaited', () => one.search(query, 1)],
  ]);
});
