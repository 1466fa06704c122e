import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { VectorIndex } from '../../lib/index.ts';
import type { Contender } from '../report.ts';
import { type DataSet, inTurn } from '../vectors.ts';

/** A graph to search approximately: the wider (`ef`), the better and the slower. */
export interface Graph {
  readonly name: string;
  at(ef: number): (query: Float32Array, m: number) => Iterable<number>;
}

const WIDTHS = [50, 70, 100, 140, 200, 280, 400, 560, 800, 1_600];
const TARGETS = [0.95, 0.99, 0.999];

/** Graphs take minutes to build, so they are kept in the system's temporary folder between runs. */
export function kept(
  name: string,
  { build, load }: { build(file: string): void; load(file: string): void },
): void {
  const folder = join(tmpdir(), 'skillspan-bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name.replaceAll(/[^\w-]+/g, '_'));
  const record = `${file}.seconds`;
  if (existsSync(record)) {
    load(file);
    console.log(`  (${name}: built in ${readFileSync(record, 'utf8')} s in an earlier run)`);
    return;
  }
  const started = performance.now();
  build(`${file}.part`);
  renameSync(`${file}.part`, file);
  const seconds = ((performance.now() - started) / 1_000).toFixed(0);
  writeFileSync(record, seconds);
  console.log(`  (${name}: built in ${seconds} s)`);
}

/** The narrowest searches that reach each target of recall, or the widest there is. */
export function atRecalls(
  graph: Graph,
  set: DataSet,
  truth: VectorIndex,
  m: number,
  { b = 1, targets = TARGETS } = {},
): Contender[] {
  const count = Math.min(200, set.queries.length / set.dim);
  const queries = Array.from({ length: count }, (_, i) =>
    set.queries.slice(i * set.dim, (i + 1) * set.dim),
  );
  const exact = queries.map((query) => new Set(truth.searchSync(query, m).ids));
  const contenders: Contender[] = [];
  let missed = targets;
  for (const ef of WIDTHS) {
    if (missed.length === 0) break;
    const search = graph.at(ef);
    let found = 0;
    for (const [q, query] of queries.entries()) {
      for (const id of search(query, m)) if (exact[q]!.has(id)) found++;
    }
    const recall = found / (count * m);
    const last = ef === WIDTHS.at(-1);
    if (!last && recall < missed[0]!) continue;
    missed = missed.filter((target) => target > recall);
    contenders.push([
      `${graph.name}, ef ${ef}, recall ${recall.toFixed(4)}`,
      inTurn(set, b, (query) => search(query, m)),
    ]);
  }
  return contenders;
}
