import type { Skill } from '../skill-file.ts';
import type { RegistryWarning } from '../warning.ts';
import type { Changes } from './changes.ts';
import type { Connection } from './database.ts';

/** A skill file as the store knows it. */
export interface FileState {
  readonly path: string;
  readonly id: string;
  readonly root: string;
  readonly size: number;
  /** Milliseconds; null where the file could still change without its date changing. */
  readonly mtime: number | null;
  readonly inode: number;
  /** See {@link skillHash}; null where the file gave no skill yet. */
  readonly hash: string | null;
  readonly warnings: readonly RegistryWarning[];
}

export interface LocationRow extends FileState {
  /** Undefined where the file gave no skill yet. */
  readonly row: number | undefined;
}

/** What became of a file: what it holds now, or that it holds what it held. */
export interface FileChange {
  readonly state: FileState;
  /** Undefined: the skill that was there before, if any. */
  readonly skill: Skill | undefined;
}

/** All files that a store knows, by path. */
export function readLocations(connection: Connection): Map<string, LocationRow> {
  const rows = connection.prepare('SELECT * FROM locations').all() as (Omit<
    LocationRow,
    'row' | 'warnings'
  > & { row: number | null; warnings: string | null })[];
  return new Map(
    rows.map(({ row, warnings, ...state }) => [
      state.path,
      { ...state, row: row ?? undefined, warnings: warnings === null ? [] : JSON.parse(warnings) },
    ]),
  );
}

/**
 * Files come, change and go, and skills with them: a skill stays as long as one file holds it, and is
 * called after the first of them.
 */
export function changeLocations(
  connection: Connection,
  changes: Changes,
  files: readonly FileChange[],
  gone: Iterable<string>,
): void {
  const rowAt = connection.prepare('SELECT row FROM locations WHERE path = ?').pluck();
  const put = connection.prepare(
    `INSERT OR REPLACE INTO locations
     VALUES (@path, @id, @root, @row, @size, @mtime, @inode, @hash, @warnings)`,
  );
  const drop = connection.prepare('DELETE FROM locations WHERE path = ?');

  const affected = new Set<number>();
  const write = ({ state, skill }: FileChange, row: number | null) => {
    const { warnings, ...columns } = state;
    const text = warnings.length > 0 ? JSON.stringify(warnings) : null;
    put.run({ ...columns, row, warnings: text });
    if (row !== null && skill) affected.add(row);
  };
  const fresh: { file: FileChange; skill: Skill }[] = [];
  for (const path of gone) {
    const row = rowAt.get(path) as number | null | undefined;
    if (row != null) affected.add(row);
    drop.run(path);
  }
  for (const file of files) {
    const before = (rowAt.get(file.state.path) as number | null | undefined) ?? null;
    if (!file.skill) {
      write(file, before);
      if (before !== null) affected.add(before);
      continue;
    }
    if (before !== null) affected.add(before);
    const known = changes.find(file.skill);
    write(file, known ?? null);
    if (known === undefined) fresh.push({ file, skill: file.skill });
  }
  // What is no longer held anywhere makes room for what is new.
  settle(connection, changes, affected);
  for (const { file, skill } of fresh) {
    // Two new files may hold the same.
    const row = changes.find(skill) ?? changes.add(skill, { imported: false });
    write(file, row);
    affected.add(row);
  }
  settle(connection, changes, affected);
}

/** Removes the skills of these that no file holds, and calls the others after their first file. */
function settle(connection: Connection, changes: Changes, rows: Iterable<number>): void {
  const skillOf = connection.prepare('SELECT id, path, imported FROM skills WHERE row = ?');
  const first = connection.prepare('SELECT id, path FROM locations WHERE row = ? ORDER BY id');
  const call = connection.prepare('UPDATE skills SET id = ?, path = ? WHERE row = ?');
  for (const row of rows) {
    const skill = skillOf.get(row) as { id: string; path: string; imported: number } | undefined;
    if (!skill) continue;
    const own = first.get(row) as { id: string; path: string } | undefined;
    if (own && (own.id !== skill.id || own.path !== skill.path)) {
      call.run(own.id, own.path, row);
      changes.touch();
    } else if (!own && !skill.imported) {
      changes.remove(row);
    }
  }
}
