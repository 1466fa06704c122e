// Many queries a call against peers that take many: 64 and 1,024, top 50, per query.
// `npm run bench:peers` installs the peers; OpenBLAS and Eigen are in bench/native.
import { nativeInfo, VectorIndex } from '../lib/index.ts';
import { atRecalls } from './peers/graph.ts';
import { onnxSearch } from './peers/onnx.ts';
import { usearchExact, usearchGraph } from './peers/usearch.ts';
import { type Contender, compare } from './report.ts';
import { onOneAndAllThreads } from './threads.ts';
import { type DataSet, growing, inTurn, synthetic, wanted } from './vectors.ts';

const M = 50;

async function recallOf(
  set: DataSet,
  truth: VectorIndex,
  search: (queries: Float32Array) => Promise<number[]>,
): Promise<string> {
  const count = 64;
  const queries = set.queries.slice(0, count * set.dim);
  const exact = truth.searchSync(queries, M).ids;
  const answer = await search(queries);
  let found = 0;
  for (let q = 0; q < count; q++) {
    const wanted = new Set(exact.subarray(q * M, (q + 1) * M));
    found += answer.slice(q * M, (q + 1) * M).filter((id) => wanted.has(id)).length;
  }
  return `, recall ${(found / exact.length).toFixed(4)}`;
}

async function compareOn(set: DataSet): Promise<void> {
  const { threads } = nativeInfo();
  const index = VectorIndex.from(set.vectors, { dim: set.dim });
  const float32 = await onnxSearch(set, 'float32', M, threads);
  const int8 = await onnxSearch(set, 'int8', M, threads);
  const recall = await recallOf(set, index, int8.search);
  const graph = usearchGraph(set, threads);
  for (const b of [64, 1_024]) {
    const ours: Contender = ['skillspan', inTurn(set, b, (some) => index.searchSync(some, M))];
    const peers = [
      float32.contender(b),
      int8.contender(b, recall),
      // Gains nothing from larger batches, and takes some 20 s for 1,024.
      ...(b === 64 ? [usearchExact(set, b, M, threads)] : []),
      ...atRecalls(graph, set, index, M, { b, targets: [0.99] }),
    ];
    await compare(`${set.name}, ${b} a call, a query`, [ours, ...peers], b);
  }
}

await onOneAndAllThreads(import.meta.url, async () => {
  console.log(`top ${M}, all on so many threads`);
  if (wanted('clustered')) await compareOn(synthetic('clustered', 80_000, 1_024, 1_024));
  const grown = growing(80_000);
  if (grown) await compareOn(grown);
});
