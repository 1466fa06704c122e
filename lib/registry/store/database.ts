import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { Prose, unexpected } from '../../errors.ts';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export type Connection = Database.Database;

/** Another process may hold the store for as long as it takes to write a large change. */
const WAIT_MS = 30_000;

/** Pages that a connection keeps, in KiB. */
const CACHE_KIB = 4_096;

/** An open database; `file` is undefined for one in memory. */
export interface OpenedDatabase {
  readonly connection: Connection;
  readonly file: string | undefined;
  /** Whether its folder is to go with it. */
  readonly isTemporary: boolean;
  /** Why an existing file was not used, or none could be written; undefined where all is well. */
  readonly problem: string | undefined;
}

/** A database in memory, with all tables and nothing in them. */
export function memoryDatabase(): OpenedDatabase {
  const connection = new Database(':memory:');
  prepare(connection);
  return { connection, file: undefined, isTemporary: false, problem: undefined };
}

/**
 * Opens the database of a folder, which is made if it is not there. A damaged one is put aside, never
 * deleted; where the folder cannot be written, the database is a temporary one.
 * @throws {SkillspanError} `ERR_CORRUPT_INDEX` for one that a later release of this package wrote.
 */
export function openDatabase(dir: string): OpenedDatabase {
  const file = join(dir, 'skills.sqlite');
  try {
    mkdirSync(dir, { recursive: true });
    try {
      return { connection: openFile(file), file, isTemporary: false, problem: undefined };
    } catch (error) {
      if (!isDamage(error)) throw error;
      const aside = setAside(file);
      const problem = `${file}: ${(error as Error).message}; it was put aside as ${aside}`;
      return { connection: openFile(file), file, isTemporary: false, problem };
    }
  } catch (error) {
    if ((error as { name?: string }).name === 'SkillspanError') throw error;
    const problem = `nothing could be kept in ${dir}: ${(error as Error).message}`;
    const instead = join(mkdtempSync(join(tmpdir(), 'skillspan-')), 'skills.sqlite');
    return { connection: openFile(instead), file: instead, isTemporary: true, problem };
  }
}

/** A second connection, for reading, which sees the state of its first read until it is closed. */
export function openReader(file: string): Connection {
  const connection = new Database(file, { timeout: WAIT_MS, readonly: true });
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  return connection;
}

function openFile(file: string): Connection {
  const connection = new Database(file, { timeout: WAIT_MS });
  try {
    connection.pragma('journal_mode = WAL');
    // Acknowledged is what has reached the disk.
    connection.pragma('synchronous = FULL');
    connection.pragma(`cache_size = -${CACHE_KIB}`);
    prepare(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function prepare(connection: Connection): void {
  if (versionOf(connection) !== SCHEMA_VERSION) {
    connection
      .transaction(() => {
        // Somebody else may have been faster.
        const version = versionOf(connection);
        if (version === SCHEMA_VERSION) return;
        if (version !== 0) throw wrongVersion(connection.name, version);
        connection.exec(SCHEMA);
        const set = connection.prepare('INSERT INTO meta VALUES (?, ?)');
        set.run('store', randomUUID().replaceAll('-', '').slice(0, 16));
        set.run('change', 0);
        connection.pragma(`user_version = ${SCHEMA_VERSION}`);
      })
      .immediate();
  }
}

function versionOf(connection: Connection): number {
  return connection.pragma('user_version', { simple: true }) as number;
}

/** Nothing was ever published that could read the tables of an earlier version. */
class Outdated extends Error {}

function wrongVersion(path: string, version: number): Error {
  if (version < SCHEMA_VERSION) return new Outdated(`it is of version ${version}`);
  const came = new Prose(`version ${version}`);
  const expected = `a store of version ${SCHEMA_VERSION} or earlier`;
  return unexpected('ERR_CORRUPT_INDEX', path, expected, came);
}

function isDamage(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return (
    error instanceof Outdated ||
    code === 'SQLITE_NOTADB' ||
    (typeof code === 'string' && code.startsWith('SQLITE_CORRUPT'))
  );
}

function setAside(file: string): string {
  const aside = `${file}.damaged-${Date.now()}`;
  renameSync(file, aside);
  for (const suffix of ['-wal', '-shm']) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
  return aside;
}
