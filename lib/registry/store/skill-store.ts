import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { Prose, unexpected } from '../../errors.ts';
import { Embeddings, type EncoderIdentity } from '../embeddings.ts';
import { indexView } from '../index-view.ts';
import type { Skill } from '../skill-file.ts';
import { Changes, sumToBlob, VectorMissing } from './changes.ts';
import {
  type Connection,
  memoryDatabase,
  type OpenedDatabase,
  openDatabase,
  openReader,
} from './database.ts';
import { type SkillText, StoreReader } from './reader.ts';
import { skillHash } from './stored-skill.ts';

/** What became of skills that were taken in. */
export interface TakenIn {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/**
 * The skills of a registry and their embeddings, in one SQLite database. It is the truth: what the
 * native indexes hold can be built from it at any time, without the encoder.
 *
 * Changes are numbered, and each is one transaction: it is there whole, for every process and after
 * every crash, once the call that makes it has returned.
 */
export class SkillStore {
  /** Whether and why there is less than was hoped for; see {@link OpenedDatabase.problem}. */
  readonly problem: string | undefined;
  /** Where the native index files are kept; undefined for a store in memory. */
  readonly dir: string | undefined;
  readonly #connection: Connection;
  readonly #file: string | undefined;

  readonly #isTemporary: boolean;

  private constructor({ connection, file, isTemporary, problem }: OpenedDatabase) {
    this.#connection = connection;
    this.#file = file;
    this.#isTemporary = isTemporary;
    this.problem = problem;
    this.dir = file && dirname(file);
  }

  /** Opens the store of a folder; see {@link openDatabase}. */
  static open(dir: string): SkillStore {
    return new SkillStore(openDatabase(dir));
  }

  /** For skills that need no keeping, and that nothing will change. */
  static inMemory(): SkillStore {
    return new SkillStore(memoryDatabase());
  }

  /** Number of the last change. */
  get change(): number {
    return this.#meta('change') as number;
  }

  /** The encoder that the skills' vectors come from; undefined before the first of them. */
  get encoder(): EncoderIdentity | undefined {
    const fingerprint = this.#meta('encoder') as string | undefined;
    return fingerprint === undefined
      ? undefined
      : { fingerprint, dim: this.#meta('dim') as number };
  }

  /** Tells whether another connection wrote: it does when this number differs from the last one. */
  get version(): number {
    return this.#connection.pragma('data_version', { simple: true }) as number;
  }

  /** Number of skills. */
  get size(): number {
    return this.#connection.prepare('SELECT count(*) FROM skills').pluck().get() as number;
  }

  /** How many different texts the skills have. */
  get textCount(): number {
    return this.#connection
      .prepare('SELECT count(DISTINCT view) FROM skills')
      .pluck()
      .get() as number;
  }

  /** The index views of all skills, one after the other. */
  *texts(): Generator<string> {
    const one = this.#connection.prepare(
      'SELECT name, description, body FROM skills WHERE row = ?',
    );
    const rows = this.#connection.prepare('SELECT row FROM skills ORDER BY row').pluck().all();
    for (const row of rows) {
      const skill = one.get(row) as SkillText | undefined;
      if (skill) yield indexView(skill);
    }
  }

  embeddings(encoder: EncoderIdentity): Embeddings {
    return new Embeddings(this.#connection, encoder);
  }

  /** The skills of this moment. To be closed: until then, no space that is given up is used again. */
  reader(): StoreReader {
    return this.#file
      ? new StoreReader(openReader(this.#file), true)
      : new StoreReader(this.#connection, false);
  }

  /** For the parts of this package that keep tables of their own. */
  get connection(): Connection {
    return this.#connection;
  }

  /**
   * @throws {SkillspanError} `ERR_MODEL_MISMATCH` where the skills' vectors come from another encoder.
   */
  checkEncoder({ fingerprint, dim }: EncoderIdentity): void {
    const own = this.encoder;
    if (!own || (own.fingerprint === fingerprint && own.dim === dim)) return;
    const expected =
      `the encoder that its vectors come from, ${own.fingerprint.slice(0, 16)} ` +
      '(to embed all skills anew: `skillspan sync --re-embed`, or `reEmbed: true`)';
    const came = new Prose(`${fingerprint.slice(0, 16)}, of ${dim} dimensions`);
    throw unexpected('ERR_MODEL_MISMATCH', this.#file ?? 'the store', expected, came);
  }

  /**
   * Makes a change in one transaction.
   * @param base the number of the change that it was planned upon.
   * @returns false, and nothing is done, where there has been another change since, or a vector that is
   *   needed is no longer there: the caller plans anew.
   */
  tryChange(base: number, encoder: EncoderIdentity, work: (changes: Changes) => void): boolean {
    try {
      return this.#connection
        .transaction(() => {
          if (this.change !== base) return false;
          this.checkEncoder(encoder);
          const changes = new Changes(this.#connection, encoder);
          work(changes);
          changes.finish();
          return true;
        })
        .immediate();
    } catch (error) {
      if (error instanceof VectorMissing) return false;
      throw error;
    }
  }

  /**
   * Takes in skills whose vectors are known, in one change: one of an id that was taken in before
   * replaces it.
   */
  takeIn(skills: readonly Skill[], encoder: EncoderIdentity): TakenIn {
    const before = this.#connection.prepare(
      'SELECT row, hash FROM skills WHERE id = ? AND imported',
    );
    for (;;) {
      const counts = { added: 0, changed: 0, unchanged: 0 };
      const done = this.tryChange(this.change, encoder, (changes) => {
        const fresh = skills.filter((skill) => {
          const own = before.get(skill.id) as { row: number; hash: string } | undefined;
          const isSame = own?.hash === skillHash(skill);
          if (own && !isSame) changes.remove(own.row);
          counts[own ? (isSame ? 'unchanged' : 'changed') : 'added'] += 1;
          return !isSame;
        });
        for (const skill of fresh) changes.add(skill, { imported: true });
      });
      if (done) return counts;
    }
  }

  /**
   * Makes another encoder that of the skills, whose texts must have vectors of it. The old vectors go.
   * @returns false where one is missing.
   */
  tryAdopt(encoder: EncoderIdentity): boolean {
    const connection = this.#connection;
    return connection
      .transaction(() => {
        const vectors = connection
          .prepare(
            `SELECT vector FROM skills JOIN vectors USING (view) WHERE encoder = ? ORDER BY row`,
          )
          .pluck();
        const sum = new Float64Array(encoder.dim);
        let found = 0;
        for (const blob of vectors.iterate(encoder.fingerprint) as IterableIterator<Buffer>) {
          for (let i = 0; i < encoder.dim; i++) sum[i]! += blob.readFloatLE(4 * i);
          found += 1;
        }
        const size = connection.prepare('SELECT count(*) FROM skills').pluck().get() as number;
        if (found < size) return false;
        const set = connection.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
        set.run('change', this.change + 1);
        set.run('sum', sumToBlob(sum));
        set.run('encoder', encoder.fingerprint);
        set.run('dim', encoder.dim);
        connection.prepare("DELETE FROM meta WHERE key = 'redundancy'").run();
        connection
          .prepare(
            `DELETE FROM vectors WHERE encoder <> ?
             AND EXISTS (SELECT 1 FROM skills WHERE skills.view = vectors.view)`,
          )
          .run(encoder.fingerprint);
        return true;
      })
      .immediate();
  }

  /** Notes how redundant the skills of a change are; see {@link redundancyOf}. */
  noteRedundancy(redundancy: number, size: number): void {
    const value = JSON.stringify({ redundancy, size });
    this.#connection.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)').run('redundancy', value);
  }

  close(): void {
    this.#connection.close();
    if (this.#isTemporary) rmSync(this.dir!, { recursive: true, force: true });
  }

  #meta(key: string): unknown {
    return this.#connection.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(key);
  }
}
