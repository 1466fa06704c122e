// Exact search against what Node programs use for it today, and against approximate search at the recall
// it reaches: top 50, one query at a time, queries in turn. `npm run bench:peers` installs the peers.
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { nativeInfo, VectorIndex } from '../lib/index.ts';
import { type Contender, compare } from './report.ts';
import { type DataSet, interpolated, real, synthetic } from './vectors.ts';

const M = 50;

/** The little of hnswlib-node and usearch that is used here; neither is installed for the tests. */
interface Hnswlib {
  BruteforceSearch: new (space: 'ip', dim: number) => HnswIndex;
  HierarchicalNSW: new (space: 'ip', dim: number) => HnswIndex;
}
interface HnswIndex {
  initIndex(n: number, m?: number, efConstruction?: number): void;
  addPoint(point: number[], id: number): void;
  setEf(ef: number): void;
  searchKnn(query: number[], k: number): { neighbors: number[] };
}
interface Usearch {
  MetricKind: { IP: unknown };
  exactSearch(
    vectors: Float32Array,
    query: Float32Array,
    dim: number,
    k: number,
    metric: unknown,
    threads: number,
  ): unknown;
}

const peers = createRequire(import.meta.url);
const hnswlib = peers('hnswlib-node') as Hnswlib;
const usearch = peers('usearch') as Usearch;

/** Runs once a query, going round. */
function inTurn<T>(queries: T[], run: (query: T) => unknown): () => unknown {
  let at = 0;
  return () => run(queries[at++ % queries.length]!);
}

function rows({ queries, dim }: DataSet, most: number): Float32Array[] {
  const n = Math.min(most, queries.length / dim);
  return Array.from({ length: n }, (_, i) => queries.slice(i * dim, (i + 1) * dim));
}

function bruteForce(set: DataSet): Contender {
  const n = set.vectors.length / set.dim;
  const index = new hnswlib.BruteforceSearch('ip', set.dim);
  index.initIndex(n);
  for (let i = 0; i < n; i++) {
    index.addPoint(Array.from(set.vectors.subarray(i * set.dim, (i + 1) * set.dim)), i);
  }
  const queries = rows(set, 100).map((row) => Array.from(row));
  return ['hnswlib-node brute force', inTurn(queries, (query) => index.searchKnn(query, M))];
}

function usearchExact(set: DataSet): Contender {
  const run = (query: Float32Array) =>
    usearch.exactSearch(
      set.vectors,
      query,
      set.dim,
      M,
      usearch.MetricKind.IP,
      nativeInfo().threads,
    );
  return ['usearch exact', inTurn(rows(set, 100), run)];
}

/** HNSW with M 16 and efConstruction 200 at growing ef, each with the recall it has. */
function hnsw(set: DataSet, truth: VectorIndex): Contender[] {
  const n = set.vectors.length / set.dim;
  const index = new hnswlib.HierarchicalNSW('ip', set.dim);
  const started = performance.now();
  index.initIndex(n, 16, 200);
  for (let i = 0; i < n; i++) {
    index.addPoint(Array.from(set.vectors.subarray(i * set.dim, (i + 1) * set.dim)), i);
  }
  console.log(`  (HNSW built in ${((performance.now() - started) / 1000).toFixed(0)} s)`);
  const queries = rows(set, 200);
  const exact = queries.map((query) => new Set(truth.searchSync(query, M).ids));
  const plain = queries.map((query) => Array.from(query));
  return [50, 100, 200, 400].map((ef): Contender => {
    index.setEf(ef);
    let found = 0;
    for (const [q, query] of plain.entries()) {
      found += index.searchKnn(query, M).neighbors.filter((id) => exact[q]!.has(id)).length;
    }
    const recall = found / (queries.length * M);
    return [
      `HNSW ef ${ef}, recall ${recall.toFixed(3)}`,
      inTurn(plain, (query) => {
        index.setEf(ef);
        return index.searchKnn(query, M);
      }),
    ];
  });
}

async function compareOn(set: DataSet, approximate: boolean): Promise<void> {
  const started = performance.now();
  const index = VectorIndex.from(set.vectors, { dim: set.dim });
  console.log(`${set.name} (index built in ${(performance.now() - started).toFixed(0)} ms)`);
  const ours: Contender = [
    'skillspan',
    inTurn(rows(set, 200), (query) => index.searchSync(query, M)),
  ];
  const peers = [bruteForce(set), usearchExact(set)];
  await compare('  exact', [ours, ...peers]);
  if (approximate) await compare('  approximate', [ours, ...hnsw(set, index)]);
}

if (process.env.SKILLSPAN_THREADS === undefined) {
  for (const count of new Set([1, nativeInfo().threads])) {
    execFileSync(process.execPath, [...process.execArgv, fileURLToPath(import.meta.url)], {
      stdio: 'inherit',
      env: { ...process.env, SKILLSPAN_THREADS: String(count) },
    });
  }
} else {
  const { isa, threads } = nativeInfo();
  console.log(
    `\ntop ${M}, one query a call, ${threads} thread(s) for skillspan and usearch exact, ${isa}`,
  );
  const found = real();
  if (found) {
    await compareOn(found, true);
    await compareOn(interpolated(found, 80_000), false);
  } else {
    console.log('(the real vectors are not here)');
  }
  await compareOn(synthetic('clustered', 80_000, 1_024, 100), false);
  await compareOn(synthetic('iid', 80_000, 1_024, 100), false);
}
