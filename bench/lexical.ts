// BM25, top 50 for 20 query terms, against SQLite FTS5 and MiniSearch, in one process, over the same
// words. `npm run bench:lexical` installs the peers and gives MiniSearch the 16 GB it may take.
// SKILLSPAN_BENCH_SKILLS: a folder of real SKILL.md files to make the corpus of.
import { createRequire } from 'node:module';
import { LexicalIndex, nativeInfo } from '../lib/index.ts';
import { lexicalCorpus } from './lexical-corpus.ts';
import { type Contender, compare } from './report.ts';

const N = Number(process.env.SKILLSPAN_BENCH_DOCUMENTS ?? 80_000);
const M = 50;
/** Queries a run: an average over several, few enough for the slowest. */
const QUERIES = 5;
const BATCH = 2_000;

const peers = createRequire(import.meta.url);
const corpus = lexicalCorpus(process.env.SKILLSPAN_BENCH_SKILLS, N);
const queries = corpus.queries.slice(0, QUERIES);

console.log(`${corpus.source}; 20 terms, top ${M}; ${nativeInfo().build}; ratios: peer / ours`);

const ours = timed('ours', buildOurs);
report(ours);
const contenders: Contender[] = [
  ['ours', () => queries.map((query) => ours.searchSync([query], M))],
];
for (const [name, load] of [
  ['SQLite FTS5', () => buildFts5(peers('better-sqlite3'))],
  ['MiniSearch', () => buildMiniSearch(peers('minisearch'))],
] as const) {
  const run = loaded(name, load);
  if (run !== undefined) contenders.push([name, () => queries.map(run)]);
}
await compare(`${QUERIES} queries, one by one`, contenders);

function buildOurs(): LexicalIndex {
  const index = new LexicalIndex();
  for (let first = 0; first < N; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, N - first) }, (_, i) => first + i);
    index.addSync(ids.map((id) => [id, counts(corpus.words(id))]));
  }
  return index;
}

function counts(words: readonly string[]): Map<string, number> {
  const map = new Map<string, number>();
  for (const word of words) map.set(word, (map.get(word) ?? 0) + 1);
  return map;
}

/** The times of single calls over all queries: the target is one millisecond for each. */
function report(index: LexicalIndex): void {
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (const query of corpus.queries) {
      const start = performance.now();
      index.searchSync([query], M);
      if (round > 0) times.push(performance.now() - start);
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => `${times[Math.floor(share * (times.length - 1))]!.toFixed(3)} ms`;
  console.log(
    `ours, ${corpus.queries.length} queries: median ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${at(1)}`,
  );
}

type Search = (query: readonly string[]) => unknown;

/** The little of better-sqlite3 and MiniSearch that is used here. */
type Sqlite = new (
  file: string,
) => {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void; all(...values: unknown[]): unknown[] };
};
type MiniSearch = new (
  options: object,
) => { add(document: object): void; search(query: string): unknown[] };

function buildFts5(Database: Sqlite): Search {
  const db = new Database(':memory:');
  db.exec("CREATE VIRTUAL TABLE skills USING fts5(words, content = '')");
  const insert = db.prepare('INSERT INTO skills(rowid, words) VALUES (?, ?)');
  db.exec('BEGIN');
  for (let i = 0; i < N; i++) insert.run(i, corpus.words(i).join(' '));
  db.exec("COMMIT; INSERT INTO skills(skills) VALUES ('optimize')");
  const select = db.prepare(
    `SELECT rowid, bm25(skills) AS score FROM skills WHERE skills MATCH ? ORDER BY score LIMIT ${M}`,
  );
  return (query) => select.all(query.join(' OR '));
}

function buildMiniSearch(Engine: MiniSearch): Search {
  const split = (text: string) => text.split(' ');
  const index = new Engine({
    fields: ['words'],
    tokenize: split,
    processTerm: (term: string) => term,
  });
  for (let id = 0; id < N; id++) index.add({ id, words: corpus.words(id).join(' ') });
  return (query) => index.search(query.join(' ')).slice(0, M);
}

function loaded(name: string, build: () => Search): Search | undefined {
  try {
    return timed(name, build);
  } catch (error) {
    console.log(`${name}: left out (${String(error).split('\n')[0]})`);
    return undefined;
  }
}

function timed<T>(name: string, build: () => T): T {
  const start = performance.now();
  const built = build();
  console.log(`${name}: indexed in ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return built;
}
