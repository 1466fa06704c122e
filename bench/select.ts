// Kernel construction and greedy MAP, native against the plain TypeScript baseline: the same inputs,
// in one process, sync calls, everything from the typed arrays to the finished selection.
import { baseline } from '../lib/baseline/index.ts';
import { nativeInfo, selectDiverse } from '../lib/index.ts';
import { clustered, randomUnit, seeded } from '../test/support/vectors.ts';
import { compare } from './report.ts';

const { isa, build } = nativeInfo();
console.log(`kernel + MAP (DSR, lambda 0.85), d 1024, ${isa}, ${build}; ratios: baseline / native`);

const dim = 1_024;
for (const m of [50, 200, 1_000]) {
  for (const k of [10, 20, 50]) {
    const random = seeded(m + k);
    const query = randomUnit(1, dim, random);
    const embeddings = clustered(m, dim, random, { centres: m / 5, spread: 0.6, copies: 0 });
    const quality = Float64Array.from({ length: m }, random);
    await compare(`M ${m}, k ${k}`, [
      ['native', () => selectDiverse({ query, embeddings, quality, k })],
      ['baseline', () => baseline.select(query, embeddings, quality, 'dsr', k, 0.85, false)],
    ]);
  }
}
