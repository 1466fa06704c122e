// Exact search against what Node programs use for it today, and against approximate search at the recall
// it reaches: top 50, one query at a time, queries in turn. `npm run bench:peers` installs the peers.
import { nativeInfo, VectorIndex } from '../lib/index.ts';
import { atRecalls } from './peers/graph.ts';
import { bruteForce, hnswlibGraph } from './peers/hnswlib.ts';
import { onnxSearch } from './peers/onnx.ts';
import { sqliteVec } from './peers/sqlite-vec.ts';
import { usearchExact, usearchGraph } from './peers/usearch.ts';
import { type Contender, compare } from './report.ts';
import { onOneAndAllThreads } from './threads.ts';
import { type DataSet, growing, inTurn, real, synthetic, wanted } from './vectors.ts';

const M = 50;

async function compareOn(set: DataSet, { graphs = true, sqlite = false } = {}): Promise<void> {
  const { threads } = nativeInfo();
  const started = performance.now();
  const index = VectorIndex.from(set.vectors, { dim: set.dim });
  console.log(`${set.name} (index built in ${(performance.now() - started).toFixed(0)} ms)`);
  const probable = VectorIndex.from(set.vectors, { dim: set.dim, exactness: 'probable' });
  const ours: Contender[] = [
    ['skillspan', inTurn(set, 1, (query) => index.searchSync(query, M))],
    ['skillspan, probable', inTurn(set, 1, (query) => probable.searchSync(query, M))],
  ];
  const onnx = await onnxSearch(set, 'float32', M, threads);
  const exact = [bruteForce(set, M), usearchExact(set, 1, M, threads), onnx.contender(1)];
  if (sqlite) exact.push(sqliteVec(set, M));
  await compare('exact', [...ours, ...exact]);
  if (!graphs) return;
  const approximate = [hnswlibGraph(set), usearchGraph(set)].flatMap((graph) =>
    atRecalls(graph, set, index, M),
  );
  await compare('approximate, each on one thread', [...ours, ...approximate]);
}

await onOneAndAllThreads(import.meta.url, async () => {
  console.log(`top ${M}, one query a call; usearch exact and ONNX Runtime use as many threads`);
  const found = wanted('real') ? real() : undefined;
  if (found) await compareOn(found);
  const grown = growing(80_000);
  if (grown) await compareOn(grown);
  for (const kind of ['clustered', 'iid'] as const) {
    if (!wanted(kind)) continue;
    // On vectors without structure a graph finds 5 to 60 % of the nearest and takes longer to build.
    const graphs = kind === 'clustered';
    await compareOn(synthetic(kind, 80_000, 1_024, 200), { graphs, sqlite: graphs });
  }
});
