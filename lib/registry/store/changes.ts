import { Embeddings, type EncoderIdentity } from '../embeddings.ts';
import { factsOf } from '../facts.ts';
import { requiredBy } from '../requires.ts';
import type { Skill } from '../skill-file.ts';
import type { Connection } from './database.ts';
import { columnsOf, skillHash } from './stored-skill.ts';

/** A vector that a change needs was dropped by somebody else since it was embedded. */
export class VectorMissing extends Error {}

/**
 * What one change does to the skills, inside a transaction: rows come and go, and the sum of all
 * vectors with them.
 */
export class Changes {
  readonly #connection: Connection;
  readonly #change: number;
  readonly #embeddings: Embeddings;
  readonly #sum: Float64Array;
  readonly #left = new Map<string, Buffer>();
  #any = false;

  constructor(connection: Connection, encoder: EncoderIdentity) {
    this.#connection = connection;
    this.#embeddings = new Embeddings(connection, encoder);
    const meta = connection.prepare('SELECT value FROM meta WHERE key = ?').pluck();
    this.#change = (meta.get('change') as number) + 1;
    const sum = meta.get('sum') as Buffer | undefined;
    this.#sum = sum ? sumFromBlob(sum) : new Float64Array(encoder.dim);
  }

  /** The row of a skill of this very content, metadata included. */
  find(skill: Skill): number | undefined {
    return this.#connection
      .prepare('SELECT row FROM skills WHERE hash = ? ORDER BY row')
      .pluck()
      .get(skillHash(skill)) as number | undefined;
  }

  /** Adds a skill and answers its row: the lowest that is free. */
  add(skill: Skill, { imported }: { imported: boolean }): number {
    const { view, ...columns } = columnsOf(skill);
    const vector = this.#embeddings.of(view);
    if (!vector) throw new VectorMissing();
    this.#count(vector, 1);
    const row = this.#takeRow();
    this.#connection
      .prepare(
        `INSERT INTO skills VALUES (@row, @id, @path, @name, @description, @tokens, @change,
         @imported, @nameKey, @nameHash, @contentHash, @hash, @view, @metadata, @body)`,
      )
      .run({
        ...columns,
        row,
        view,
        id: skill.id,
        path: skill.path,
        change: this.#change,
        imported: imported ? 1 : 0,
      });
    const require = this.#connection.prepare('INSERT INTO requires VALUES (?, ?, ?)');
    for (const [place, key] of requiredBy(skill.metadata).entries()) require.run(row, place, key);
    const fact = this.#connection.prepare('INSERT INTO facts VALUES (?, ?, ?)');
    for (const { key, value } of factsOf(skill.metadata)) fact.run(key, value, row);
    return row;
  }

  /** Removes a skill; its row is free from now on. */
  remove(row: number): void {
    const view = this.#connection
      .prepare('SELECT view FROM skills WHERE row = ?')
      .pluck()
      .get(row) as Buffer;
    const vector = this.#embeddings.of(view);
    if (!vector) throw new VectorMissing();
    this.#count(vector, -1);
    this.#left.set(view.toString('hex'), view);
    this.#connection.prepare('DELETE FROM skills WHERE row = ?').run(row);
    this.#connection.prepare('DELETE FROM requires WHERE row = ?').run(row);
    this.#connection.prepare('DELETE FROM facts WHERE row = ?').run(row);
    this.#connection.prepare('INSERT INTO freed VALUES (?, ?)').run(row, this.#change);
  }

  /** Says that what is looked up about skills changed, though no content did. */
  touch(): void {
    this.#any = true;
  }

  /** Writes the number of the change, if it is one, and the sum; drops vectors of texts that are gone. */
  finish(): void {
    if (!this.#any) return;
    const drop = this.#connection.prepare(
      `DELETE FROM vectors WHERE view = @view AND encoder = @encoder
       AND NOT EXISTS (SELECT 1 FROM skills WHERE view = @view)`,
    );
    const { fingerprint } = this.#embeddings.encoder;
    for (const view of this.#left.values()) drop.run({ view, encoder: fingerprint });
    const set = this.#connection.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
    set.run('change', this.#change);
    set.run('sum', sumToBlob(this.#sum));
    set.run('encoder', this.#embeddings.encoder.fingerprint);
    set.run('dim', this.#embeddings.encoder.dim);
  }

  #count(vector: Float32Array, sign: number): void {
    this.#any = true;
    for (const [i, value] of vector.entries()) this.#sum[i]! += sign * value;
  }

  #takeRow(): number {
    const one = (sql: string) => this.#connection.prepare(sql).pluck().get() as number | null;
    const free = one('SELECT min(row) FROM freed');
    if (free == null) return (one('SELECT max(row) FROM skills') ?? -1) + 1;
    this.#connection.prepare('DELETE FROM freed WHERE row = ?').run(free);
    return free;
  }
}

/** Little-endian float64. */
export function sumToBlob(sum: Float64Array): Buffer {
  const bytes = Buffer.alloc(sum.byteLength);
  for (const [i, value] of sum.entries()) bytes.writeDoubleLE(value, 8 * i);
  return bytes;
}

export function sumFromBlob(blob: Buffer): Float64Array {
  return Float64Array.from({ length: blob.length / 8 }, (_, i) => blob.readDoubleLE(8 * i));
}
