import { createRequire } from 'node:module';
import type { Contender } from '../report.ts';
import { type DataSet, inTurn } from '../vectors.ts';

/** The little of better-sqlite3 and sqlite-vec that is used here; neither is installed for the tests. */
type Sqlite = new (
  file: string,
) => {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): void; all(...values: unknown[]): unknown[] };
};
interface SqliteVec {
  load(database: unknown): void;
}

const load = createRequire(import.meta.url);

function bytes(values: Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

export function sqliteVec(set: DataSet, m: number): Contender {
  const database = new (load('better-sqlite3') as Sqlite)(':memory:');
  (load('sqlite-vec') as SqliteVec).load(database);
  database.exec(
    `create virtual table skills using vec0(vector float[${set.dim}] distance_metric=cosine)`,
  );
  const insert = database.prepare('insert into skills(rowid, vector) values (?, ?)');
  database.exec('begin');
  for (let i = 0; i < set.vectors.length / set.dim; i++) {
    insert.run(BigInt(i), bytes(set.vectors.subarray(i * set.dim, (i + 1) * set.dim)));
  }
  database.exec('commit');
  const nearest = database.prepare(`select rowid from skills where vector match ? and k = ${m}`);
  return ['sqlite-vec', inTurn(set, 1, (query) => nearest.all(bytes(query)))];
}
