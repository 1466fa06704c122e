import { sep } from 'node:path';
import type { Statement } from 'better-sqlite3';
import { Prose, unexpected } from '../../errors.ts';
import { type EncoderIdentity, fromBlob } from '../embeddings.ts';
import type { FactQuery } from '../facts.ts';
import type { Connection } from './database.ts';
import type { Location, SkillCard, StoredSkill } from './stored-skill.ts';

/** Cards kept, of those that were read last. */
const MOST_CARDS = 4_096;

/** What words are counted in. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  readonly body: string;
}

/**
 * The skills as they were at one moment, whatever is written meanwhile: a connection of its own, inside
 * a read transaction. Nothing is read before it is asked for.
 */
export class StoreReader {
  /** Number of the last change that is seen. */
  readonly change: number;
  /** Number of skills. */
  readonly size: number;
  /** Every row lies below it. */
  readonly rowLimit: number;
  readonly #connection: Connection;
  readonly #owned: boolean;
  readonly #statements = new Map<string, Statement>();
  readonly #cards = new Map<number, SkillCard>();

  /** @param owned whether the connection is this reader's own, to be closed with it. */
  constructor(connection: Connection, owned: boolean) {
    this.#connection = connection;
    this.#owned = owned;
    if (owned) connection.exec('BEGIN');
    this.change = this.meta('change') as number;
    this.rowLimit = ((this.#value('SELECT max(row) FROM skills') as number | null) ?? -1) + 1;
    this.size = this.#value('SELECT count(*) FROM skills') as number;
  }

  /** What the store says of itself; undefined where it says nothing. */
  meta(key: string): unknown {
    return this.#value('SELECT value FROM meta WHERE key = ?', key);
  }

  card(row: number): SkillCard {
    const known = this.#cards.get(row);
    if (known) return known;
    const card = this.#statement(
      'SELECT id, name, description, path FROM skills WHERE row = ?',
    ).get(row) as SkillCard;
    if (this.#cards.size >= MOST_CARDS) this.#cards.clear();
    this.#cards.set(row, card);
    return card;
  }

  tokensOf(row: number): number {
    return this.#value('SELECT tokens FROM skills WHERE row = ?', row) as number;
  }

  textOf(row: number): SkillText {
    return this.#statement('SELECT name, description, body FROM skills WHERE row = ?').get(
      row,
    ) as SkillText;
  }

  skill(row: number): StoredSkill {
    const { metadata, ...skill } = this.#statement(
      `SELECT id, path, name, description, body, metadata, content_hash AS contentHash
       FROM skills WHERE row = ?`,
    ).get(row) as Omit<StoredSkill, 'metadata' | 'locations'> & { metadata: string };
    const locations = this.#statement(
      'SELECT id, path FROM locations WHERE row = ? ORDER BY id',
    ).all(row) as Location[];
    return {
      ...skill,
      metadata: JSON.parse(metadata),
      locations: locations.length > 0 ? locations : [{ id: skill.id, path: skill.path }],
    };
  }

  /** The skill of an id, or of that of any of its locations. */
  rowOf(id: string): number | undefined {
    return (this.#value('SELECT row FROM skills WHERE id = ? ORDER BY row', id) ??
      this.#value('SELECT row FROM locations WHERE id = ? AND row IS NOT NULL', id)) as
      | number
      | undefined;
  }

  /** Rows of skills written after a change, ascending; after −1 of all. */
  rowsAfter(change: number): number[] {
    if (change < 0) return this.#values('SELECT row FROM skills ORDER BY row');
    // Left to itself, SQLite reads the whole table, for the order's sake.
    const sql = 'SELECT row FROM skills INDEXED BY skills_changed WHERE changed > ?';
    return this.#values(sql, change).sort((a, b) => a - b);
  }

  /** Rows that lost their skill after a change. */
  freedAfter(change: number): number[] {
    return this.#values('SELECT row FROM freed WHERE changed > ?', change);
  }

  /**
   * The vectors of some rows, side by side.
   * @throws {SkillspanError} `ERR_CORRUPT_INDEX` where one is missing.
   */
  vectorsOf(rows: readonly number[], { fingerprint, dim }: EncoderIdentity): Float32Array {
    const one = this.#statement(
      `SELECT vector FROM skills JOIN vectors USING (view) WHERE row = ? AND encoder = ?`,
    ).pluck();
    const vectors = new Float32Array(rows.length * dim);
    for (const [i, row] of rows.entries()) {
      const blob = one.get(row, fingerprint) as Buffer | undefined;
      if (!blob) {
        const came = new Prose('none');
        throw unexpected('ERR_CORRUPT_INDEX', `skill ${row} of the store`, 'a vector', came);
      }
      vectors.set(fromBlob(blob, dim), i * dim);
    }
    return vectors;
  }

  /** Rows of skills with a fact. */
  rowsWith({ key, values }: FactQuery): number[] {
    return this.#values(
      `SELECT row FROM facts WHERE key IN (?, 'metadata.' || ?)
       AND value IN (SELECT value FROM json_each(?))`,
      ...[key, key, JSON.stringify(values)],
    );
  }

  /** Rows of skills that lie below a folder. */
  rowsBelow(folder: string): number[] {
    const [low, high] = rangeBelow(folder);
    return this.#values(
      `SELECT row FROM locations WHERE path > @low AND path < @high AND row IS NOT NULL
       UNION SELECT row FROM skills WHERE imported AND path > @low AND path < @high`,
      { low, high },
    );
  }

  /** What is shown of a skill, as it lies below one of some folders. */
  cardBelow(row: number, folders: readonly string[]): SkillCard {
    for (const folder of folders) {
      const [low, high] = rangeBelow(folder);
      const place = this.#statement(
        'SELECT id, path FROM locations WHERE row = ? AND path > ? AND path < ? ORDER BY id',
      ).get(row, low, high) as Location | undefined;
      if (place) return { ...this.card(row), ...place };
    }
    return this.card(row);
  }

  /** Hashes of all name keys. */
  nameHashes(): Set<number> {
    return new Set(
      this.#values(
        'SELECT name_hash FROM skills INDEXED BY skills_name_key WHERE name_hash IS NOT NULL',
      ),
    );
  }

  /** Those of skills written after a change. */
  nameHashesAfter(change: number): number[] {
    const sql =
      'SELECT name_hash FROM skills INDEXED BY skills_changed WHERE changed > ? AND name_hash IS NOT NULL';
    return this.#values(sql, change);
  }

  rowsOfName(key: string): number[] {
    return this.#values('SELECT row FROM skills WHERE name_key = ? ORDER BY row', key);
  }

  /** Rows of skills that say they need others. */
  declaring(): Set<number> {
    return new Set(this.#values('SELECT DISTINCT row FROM requires'));
  }

  /** The skills that one says it needs: by id, or the first of that name. */
  needsOf(row: number): number[] {
    const keys = this.#statement('SELECT key FROM requires WHERE row = ? ORDER BY place').pluck();
    const needs = (keys.all(row) as string[]).map(
      (key) =>
        this.rowOf(key) ??
        (this.#value('SELECT min(row) FROM skills WHERE name = ?', key) as number | null),
    );
    return [...new Set(needs)].filter((need) => need != null && need !== row) as number[];
  }

  close(): void {
    if (this.#owned) this.#connection.close();
  }

  #statement(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #value(sql: string, ...bound: unknown[]): unknown {
    return this.#statement(sql)
      .pluck()
      .get(...bound);
  }

  #values<T = number>(sql: string, ...bound: unknown[]): T[] {
    return this.#statement(sql)
      .pluck()
      .all(...bound) as T[];
  }
}

/** Between these two, both left out, lie all paths below a folder. */
function rangeBelow(folder: string): [low: string, high: string] {
  const inside = folder.endsWith(sep) ? folder : folder + sep;
  const next = String.fromCharCode(sep.charCodeAt(0) + 1);
  return [inside, inside.slice(0, -1) + next];
}
