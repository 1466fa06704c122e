import { realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { SkillspanError } from '../errors.ts';

/** A folder to search, and what the ids of its skills begin with. */
export interface Root {
  /** Absolute, as given. */
  readonly path: string;
  /** Absolute, without symbolic links. */
  readonly real: string;
  readonly label: string;
}

/**
 * Resolves the folders given to absolute ones, each once.
 *
 * @throws {SkillspanError} ERR_REGISTRY_NOT_FOUND where one does not exist or is not a folder
 */
export async function openRoots(given: readonly string[]): Promise<Root[]> {
  const byRealPath = new Map<string, string>();
  for (const path of given.map((root) => resolve(root))) {
    const real = await realFolder(path);
    if (!byRealPath.has(real)) byRealPath.set(real, path);
  }
  const found = [...byRealPath];
  const labels = distinctLabels(found.map(([, path]) => path));
  return found.map(([real, path], index) => ({ path, real, label: labels[index]! }));
}

async function realFolder(path: string): Promise<string> {
  const wanted = `registry root ${path}: expected a folder`;
  try {
    if ((await stat(path)).isDirectory()) return await realpath(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const got = code === 'ENOENT' ? 'nothing of that name' : message;
    throw new SkillspanError('ERR_REGISTRY_NOT_FOUND', `${wanted}, got ${got}`, { cause });
  }
  throw new SkillspanError('ERR_REGISTRY_NOT_FOUND', `${wanted}, got a file`);
}

/**
 * The base name of each path, with as many parents as tell it from the others. One label may not begin
 * another either: `skills` and `skills/web` could both have a skill `skills/web/css`.
 */
function distinctLabels(paths: readonly string[]): string[] {
  const segments = paths.map((path) => path.split(sep).filter((segment) => segment !== ''));
  const lengths = paths.map(() => 1);
  for (;;) {
    const labels = segments.map((parts, index) => parts.slice(-lengths[index]!).join('/'));
    const clashing = labels.flatMap((label, index) => {
      const clashes = labels.some(
        (other, at) => at !== index && (isWithin(label, other) || isWithin(other, label)),
      );
      return clashes && lengths[index]! < segments[index]!.length ? [index] : [];
    });
    if (clashing.length === 0) return labels;
    for (const index of clashing) lengths[index]! += 1;
  }
}

function isWithin(label: string, other: string): boolean {
  return label === other || label.startsWith(`${other}/`);
}
