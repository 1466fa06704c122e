import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mapBounded } from './bounded.ts';
import { byCodeUnit } from './order.ts';
import { readSkillFile } from './read-skill-file.ts';
import type { Root } from './roots.ts';
import { findSkillFiles, type SkillFile } from './scan.ts';
import {
  type FileChange,
  type FileState,
  type LocationRow,
  readLocation,
  readLocations,
} from './store/locations.ts';
import type { SkillStore } from './store/skill-store.ts';
import { skillHash } from './store/stored-skill.ts';
import type { SyncReport } from './sync-report.ts';
import type { RegistryWarning } from './warning.ts';

/** What a store must take over to say what the files say. */
export interface Plan {
  /** Files that were read, or whose place in the registry changed. */
  readonly files: readonly FileChange[];
  readonly gone: readonly string[];
  readonly warnings: readonly RegistryWarning[];
  readonly counts: Pick<SyncReport, 'added' | 'changed' | 'removed' | 'unchanged' | 'skipped'>;
}

/** A file whose date lies so near could change again without its date changing, in milliseconds. */
const RACY_MS = 2_000;

/** Compares all that lies below the roots with what the store knows. */
export async function planAll(
  store: SkillStore,
  roots: readonly Root[],
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const scan = await findSkillFiles(roots, signal);
  const known = readLocations(store.connection);
  const present = new Set(scan.files.map(({ path }) => path));
  // A folder that cannot be read just now is no reason to forget what is in it.
  const closed = scan.warnings.flatMap(({ code, path }) =>
    code === 'unreadable' ? [path + sep] : [],
  );
  const gone = [...known.values()].filter(
    ({ path }) => !present.has(path) && !closed.some((folder) => path.startsWith(folder)),
  );
  return planOf(scan.files, known, gone, scan.warnings, signal);
}

/**
 * The same for some files alone.
 * @returns undefined where one of them must be seen together with others, such as behind a link.
 */
export async function planSome(
  store: SkillStore,
  roots: readonly Root[],
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Plan | undefined> {
  const known = new Map<string, LocationRow>();
  const files: SkillFile[] = [];
  const gone: LocationRow[] = [];
  for (const path of new Set(paths)) {
    const before = readLocation(store.connection, path);
    if (before) known.set(path, before);
    const file = await directFile(path, roots);
    if (file) files.push(file);
    else if (await lstat(path).catch(() => undefined)) return undefined;
    else if (before) gone.push(before);
  }
  return planOf(files, known, gone, [], signal);
}

/** A skill file that is reached without links; undefined for any other and for none. */
async function directFile(path: string, roots: readonly Root[]): Promise<SkillFile | undefined> {
  if (basename(path) !== 'SKILL.md') return undefined;
  const around = roots.filter((root) => path.startsWith(root.path + sep));
  const root = around.sort((a, b) => b.path.length - a.path.length)[0];
  if (!root) return undefined;
  const way = relative(root.path, path);
  const real = await realpath(path).catch(() => undefined);
  if (real !== join(root.real, way)) return undefined;
  const folders = dirname(way) === '.' ? [] : dirname(way).split(sep);
  return { id: [root.label, ...folders].join('/'), path, root: root.path };
}

async function planOf(
  found: readonly SkillFile[],
  known: ReadonlyMap<string, LocationRow>,
  gone: readonly LocationRow[],
  scanWarnings: readonly RegistryWarning[],
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const removed = gone.filter(({ row }) => row !== undefined).length;
  const counts = { added: 0, changed: 0, removed, unchanged: 0, skipped: 0 };
  const files: FileChange[] = [];
  const warnings = [...scanWarnings];
  const looked = await mapBounded(found, (file) => look(file, known.get(file.path)), signal);
  for (const [i, { change, state }] of looked.entries()) {
    const before = known.get(found[i]!.path);
    warnings.push(...state.warnings);
    if (change) files.push(change);
    if (!change?.skill && before?.row === undefined) counts.skipped += 1;
    else if (before?.row === undefined) counts.added += 1;
    else if (change?.isNew) counts.changed += 1;
    else counts.unchanged += 1;
  }
  warnings.sort((a, b) => byCodeUnit(a.path, b.path) || a.line - b.line);
  return { files, gone: gone.map(({ path }) => path), warnings, counts };
}

interface Looked {
  readonly state: FileState;
  /** Undefined where there is nothing to write. */
  readonly change: (FileChange & { readonly isNew: boolean }) | undefined;
}

async function look(file: SkillFile, before: LocationRow | undefined): Promise<Looked> {
  const { id, path, root } = file;
  const asked = Date.now();
  const found = await stat(path).catch(() => undefined);
  const size = found?.size ?? 0;
  const inode = found?.ino ?? 0;
  const date = found?.mtimeMs ?? 0;
  if (before && before.size === size && before.inode === inode && before.mtime === date) {
    if (before.id === id && before.root === root) return { state: before, change: undefined };
    const state = { ...before, id, root };
    return { state, change: { state, skill: undefined, isNew: false } };
  }

  const { skill, warnings } = await readSkillFile(file);
  const mtime = found && asked - date > RACY_MS ? date : null;
  const kept = !skill && before?.row !== undefined;
  const notes = kept ? [...warnings, keptNote(path)] : warnings;
  const hash = skill ? skillHash(skill) : (before?.hash ?? null);
  const state = { id, path, root, size, mtime, inode, hash, warnings: notes };
  const isNew = skill !== undefined && hash !== before?.hash;
  if (before && !isNew && isDeepStrictEqual(state, stateOf(before))) {
    return { state, change: undefined };
  }
  return { state, change: { state, skill: isNew ? skill : undefined, isNew } };
}

function stateOf({ row: _, ...state }: LocationRow): FileState {
  return state;
}

function keptNote(path: string): RegistryWarning {
  const message = 'the skill that the file held before is kept';
  return { path, line: 1, code: 'kept-last-good', message };
}
