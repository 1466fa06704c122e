import { stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Encoder } from '../models/encoder.ts';
import { mapBounded } from './bounded.ts';
import { embedMissing, type Progress } from './embed-missing.ts';
import { indexView } from './index-view.ts';
import { byCodeUnit } from './order.ts';
import { readSkillFile } from './read-skill-file.ts';
import { checkRoots } from './registry.ts';
import { openRoots } from './roots.ts';
import { findSkillFiles, type SkillFile } from './scan.ts';
import {
  changeLocations,
  type FileChange,
  type FileState,
  type LocationRow,
  readLocations,
} from './store/locations.ts';
import type { SkillStore } from './store/skill-store.ts';
import { skillHash } from './store/stored-skill.ts';
import type { RegistryWarning } from './warning.ts';

export interface SyncOptions {
  readonly encoder: Encoder;
  /** Whether to give a store of another encoder this one, and embed all its skills anew. */
  readonly reEmbed?: boolean | undefined;
  readonly onProgress?: Progress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a synchronisation found and did. */
export interface SyncReport {
  /** SKILL.md files that are new, that say something else than before, and that are gone. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Files that give no skill; `warnings` says why. */
  readonly skipped: number;
  /** Texts embedded now, and texts whose embeddings were there. */
  readonly embedded: number;
  readonly cached: number;
  /** Sorted by path, then line. */
  readonly warnings: readonly RegistryWarning[];
}

interface Plan {
  /** Files that were read, or whose place in the registry changed. */
  readonly files: readonly FileChange[];
  readonly gone: readonly string[];
  readonly warnings: readonly RegistryWarning[];
  readonly counts: Pick<SyncReport, 'added' | 'changed' | 'removed' | 'unchanged' | 'skipped'>;
}

/** A file whose date lies so near could change again without its date changing, in milliseconds. */
const RACY_MS = 2_000;

/**
 * Makes a store say what the folders say: one change, visible whole or not at all. Files of unchanged
 * size, date and inode are not read, and only texts that have no vector are embedded. A file that no
 * longer gives a skill keeps the last one that it gave.
 * @throws {SkillspanError} `ERR_REGISTRY_NOT_FOUND`, `ERR_INVALID_ARGUMENT`, `ERR_MODEL_MISMATCH`; what
 *   the encoder throws.
 */
export async function syncStore(
  store: SkillStore,
  folders: string | readonly string[],
  options: SyncOptions,
): Promise<SyncReport> {
  const { encoder, signal } = options;
  const roots = await openRoots(checkRoots(folders));
  let embedded = options.reEmbed ? await reEmbed(store, options) : 0;
  store.checkEncoder(encoder);
  const embeddings = store.embeddings(encoder);
  for (;;) {
    signal?.throwIfAborted();
    const base = store.change;
    const scan = await findSkillFiles(roots, signal);
    const known = readLocations(store.connection);
    const plan = await planFor(scan.files, scan.warnings, known, signal);
    const texts = plan.files.flatMap(({ skill }) => (skill ? [indexView(skill)] : []));
    embedded += await embedMissing(embeddings, texts, encoder, options);
    const done =
      (plan.files.length === 0 && plan.gone.length === 0) ||
      store.tryChange(base, encoder, (changes) =>
        changeLocations(store.connection, changes, plan.files, plan.gone),
      );
    // Somebody else wrote meanwhile: what is embedded stays, the rest is planned anew.
    if (!done) continue;
    if (store.change !== base) embeddings.dropUnused();
    const { counts, warnings } = plan;
    return { ...counts, embedded, cached: store.textCount - embedded, warnings };
  }
}

async function reEmbed(store: SkillStore, options: SyncOptions): Promise<number> {
  const { encoder } = options;
  let embedded = 0;
  while (store.encoder && store.encoder.fingerprint !== encoder.fingerprint) {
    embedded += await embedMissing(store.embeddings(encoder), store.texts(), encoder, options);
    if (store.tryAdopt(encoder)) break;
  }
  return embedded;
}

async function planFor(
  found: readonly SkillFile[],
  scanWarnings: readonly RegistryWarning[],
  known: ReadonlyMap<string, LocationRow>,
  signal: AbortSignal | undefined,
): Promise<Plan> {
  const counts = { added: 0, changed: 0, removed: 0, unchanged: 0, skipped: 0 };
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

  const present = new Set(found.map(({ path }) => path));
  // A folder that cannot be read just now is no reason to forget what is in it.
  const closed = scanWarnings.flatMap(({ code, path }) =>
    code === 'unreadable' ? [path + sep] : [],
  );
  const gone: string[] = [];
  for (const [path, { row }] of known) {
    if (present.has(path) || closed.some((folder) => path.startsWith(folder))) continue;
    gone.push(path);
    if (row !== undefined) counts.removed += 1;
  }
  warnings.sort((a, b) => byCodeUnit(a.path, b.path) || a.line - b.line);
  return { files, gone, warnings, counts };
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
