// Exact top-50 over 80,000 vectors, native against the plain TypeScript baseline.
import { baseline } from '../lib/baseline/index.ts';
import { VectorIndex } from '../lib/index.ts';
import { compare } from './report.ts';
import { onOneAndAllThreads } from './threads.ts';
import { synthetic } from './vectors.ts';

const M = 50;

await onOneAndAllThreads(import.meta.url, async () => {
  for (const dim of [384, 1_024]) {
    const set = synthetic('clustered', 80_000, dim, 16);
    const native = VectorIndex.from(set.vectors, { dim });
    const plain = baseline.createIndex(set.vectors, dim, false);
    for (const b of [1, 16]) {
      const queries = set.queries.slice(0, b * dim);
      const ms = new Uint32Array(b).fill(M);
      await compare(`exact top ${M}, ${set.name}, ${b} a call, a call`, [
        ['native', () => native.searchSync(queries, M)],
        ['baseline', () => plain.search(queries, ms, undefined)],
      ]);
    }
  }
});
