// What a filter costs, and what it saves: allowed ids drawn at random, which is the hard case since no
// stretch of rows can be left out as a whole.
import { VectorIndex } from '../lib/index.ts';
import { seeded } from '../test/support/vectors.ts';
import { compare } from './report.ts';
import { onOneAndAllThreads } from './threads.ts';
import { type DataSet, growing, inTurn, synthetic, wanted } from './vectors.ts';

const M = 50;
const N = 80_000;
const SHARES = [0.0001, 0.01, 0.1, 0.5];

function randomBitmap(n: number, share: number): Uint32Array {
  const random = seeded(1);
  const words = new Uint32Array(Math.ceil(n / 32));
  for (let id = 0; id < n; id++) if (random() < share) words[id >> 5]! |= 1 << (id % 32);
  return words;
}

async function compareOn(set: DataSet): Promise<void> {
  const { dim } = set;
  const index = VectorIndex.from(set.vectors, { dim });
  const filters = SHARES.map((share) => [share, randomBitmap(N, share)] as const);
  for (const b of [1, 5]) {
    await compare(`filtered, ${set.name}, ${b} a call, a call`, [
      ['every id allowed', inTurn(set, b, (queries) => index.searchSync(queries, M))],
      ...filters.map(
        ([share, allowed]) =>
          [
            `${100 * share} % of ids allowed`,
            inTurn(set, b, (queries) => index.searchSync(queries, M, { allowed })),
          ] as const,
      ),
    ]);
  }
  const one = inTurn(set, 1, (query) => index.searchSync(query, M));
  await compare(`5 queries, ${set.name}`, [
    ['in one call', inTurn(set, 5, (queries) => index.searchSync(queries, M))],
    [
      'in five calls',
      () => {
        for (let i = 0; i < 5; i++) one();
      },
    ],
  ]);
}

await onOneAndAllThreads(import.meta.url, async () => {
  if (wanted('clustered')) await compareOn(synthetic('clustered', N, 1_024, 100));
  const grown = growing(N);
  if (grown) await compareOn(grown);
});
