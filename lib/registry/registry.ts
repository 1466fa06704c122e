import { unexpected } from '../errors.ts';
import { mapBounded } from './bounded.ts';
import { byCodeUnit } from './order.ts';
import { readSkillFile } from './read-skill-file.ts';
import { openRoots } from './roots.ts';
import { findSkillFiles } from './scan.ts';
import type { Skill } from './skill-file.ts';
import type { RegistryWarning, WarningCode } from './warning.ts';

export type { RegistryWarning, Skill, WarningCode };

/** The skills of some folders, as they were when read. */
export interface Registry {
  /** Absolute paths as given, each folder once. */
  readonly roots: readonly string[];
  /** Sorted by id. */
  readonly skills: readonly Skill[];
  /** Sorted by path, then line. */
  readonly warnings: readonly RegistryWarning[];
}

/**
 * Reads every skill in and below the given folders. A file that cannot be read or understood is left out with
 * a warning and never stops the rest; finding no skill at all is no error.
 *
 * @throws {SkillspanError} ERR_REGISTRY_NOT_FOUND where a root does not exist or is not a folder;
 *   ERR_INVALID_ARGUMENT where there is no root, or one that is not a path
 * @throws the signal's reason, once it is aborted
 */
export async function readRegistry(
  roots: string | readonly string[],
  { signal }: { signal?: AbortSignal } = {},
): Promise<Registry> {
  signal?.throwIfAborted();
  const opened = await openRoots(checkRoots(roots));
  const scan = await findSkillFiles(opened, signal);
  const parsed = await mapBounded(scan.files, readSkillFile, signal);
  return {
    roots: opened.map(({ path }) => path),
    skills: parsed.flatMap(({ skill }) => skill ?? []),
    warnings: [...scan.warnings, ...parsed.flatMap(({ warnings }) => warnings)].sort(
      (a, b) => byCodeUnit(a.path, b.path) || a.line - b.line,
    ),
  };
}

/** @throws {SkillspanError} ERR_INVALID_ARGUMENT where there is none, or one that is not a path */
export function checkRoots(roots: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(roots) ? roots : [roots];
  if (list.length === 0)
    throw unexpected('ERR_INVALID_ARGUMENT', 'roots', 'at least one folder', roots);
  return list.map((root) => {
    // An empty path would quietly mean the working directory.
    if (typeof root === 'string' && root !== '') return root;
    throw unexpected('ERR_INVALID_ARGUMENT', 'roots', 'the path of a folder', root);
  });
}
