// Exact top-50 over 80,000 vectors, native against the plain TypeScript baseline, on one thread and on
// all of them. The thread count is fixed when the addon loads, so each count gets a process.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { baseline } from '../lib/baseline/index.ts';
import { nativeInfo, VectorIndex } from '../lib/index.ts';
import { clustered, randomUnit, seeded } from '../test/support/vectors.ts';
import { compare } from './report.ts';

const N = 80_000;
const M = 50;

if (process.env.SKILLSPAN_THREADS === undefined) {
  const { threads } = nativeInfo();
  for (const count of new Set([1, threads])) {
    execFileSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], {
      stdio: 'inherit',
      env: { ...process.env, SKILLSPAN_THREADS: String(count) },
    });
  }
} else {
  const { isa, threads, build } = nativeInfo();
  console.log(
    `exact top-${M} of ${N}, ${threads} thread(s), ${isa}, ${build}; ratios: baseline / native`,
  );
  for (const dim of [384, 1_024]) {
    const random = seeded(dim);
    const vectors = clustered(N, dim, random, { centres: 2_000, spread: 0.6, copies: 0.01 });
    const native = VectorIndex.from(vectors, { dim });
    const plain = baseline.createIndex(vectors, dim);
    for (const b of [1, 16]) {
      const queries = randomUnit(b, dim, random);
      await compare(`d ${dim}, ${b} quer${b === 1 ? 'y' : 'ies'} a call`, [
        ['native', () => native.searchSync(queries, M)],
        ['baseline', () => plain.search(queries, M, undefined)],
      ]);
    }
  }
}
