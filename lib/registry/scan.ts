import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { mapBounded } from './bounded.ts';
import { LIMITS } from './limits.ts';
import { byCodeUnit } from './order.ts';
import type { Root } from './roots.ts';
import type { RegistryWarning, WarningCode } from './warning.ts';

/** A file that should hold a skill. */
export interface SkillFile {
  /** Label of the root, then the folder's path below it, with `/` on every system. */
  readonly id: string;
  /** Absolute, below the root as it was given. */
  readonly path: string;
  /** The root's path. */
  readonly root: string;
}

/** What a search found; files sorted by id. */
export interface Scan {
  readonly files: readonly SkillFile[];
  readonly warnings: readonly RegistryWarning[];
}

/** A folder or a skill file, with its path after all symbolic links. */
interface Place extends SkillFile {
  readonly real: string;
}

interface Listing {
  readonly file: Place | undefined;
  readonly folders: readonly Place[];
  /** Symbolic links that may lead to folders or skill files. */
  readonly links: readonly Link[];
}

interface Link {
  readonly name: string;
  readonly within: Place;
}

type WarnOfPath = (code: WarningCode, path: string, message: string) => void;

const SKILL_FILE = /^skill\.md$/i;

/**
 * Finds the skill files in and below the roots: at most one a folder, and each real file once.
 * Dot folders and `node_modules` are not entered. A folder inside another root belongs to the innermost root,
 * and a skill reached both directly and through symbolic links goes by its direct path.
 *
 * @throws the signal's reason, once it is aborted
 */
export async function findSkillFiles(roots: readonly Root[], signal?: AbortSignal): Promise<Scan> {
  const warnings: RegistryWarning[] = [];
  const warn: WarnOfPath = (code, path, message) => warnings.push({ path, line: 1, code, message });

  // Real paths of what was met so far: they end loops and find duplicates.
  const seen = new Set(roots.map(({ real }) => real));
  const isNew = ({ real }: Place) => seen.size < seen.add(real).size;
  const staysBelow = ({ path, real }: Place) => {
    const left = roots.find((root) => contains(real, root.real));
    if (!left) return true;
    warn('link-to-parent', path, `link not followed: it leads to a parent of ${left.path}`);
    return false;
  };

  const files: SkillFile[] = [];
  const links: Link[] = [];
  let depth = 0;
  let folders: Place[] = roots.map(({ label, path, real }) => {
    return { id: label, path, real, root: path };
  });
  while (folders.length > 0) {
    const listings = await mapBounded(folders, (folder) => list(folder, warn), signal);
    files.push(...listings.flatMap(({ file }) => file ?? []).filter(isNew));
    links.push(...listings.flatMap((listing) => listing.links));
    folders = listings.flatMap((listing) => listing.folders).filter(isNew);
    depth += 1;
    if (depth > LIMITS.depth || files.length > LIMITS.files) {
      // Whatever is so deep, or so many, is no registry; what was found so far stands.
      const path = folders[0]?.path ?? roots[0]!.path;
      const what =
        depth > LIMITS.depth ? `${LIMITS.depth} folders deep` : `${LIMITS.files} skill files`;
      warn('registry-too-large', path, `not entered, nor others: a registry ends at ${what}`);
      break;
    }

    // Links come last, so that direct paths are met first.
    if (folders.length === 0) {
      const targets = await mapBounded(links.splice(0), (link) => follow(link, warn), signal);
      files.push(...targets.flatMap(({ file }) => file ?? []).filter(isNew));
      const linked = targets.flatMap(({ folder }) => folder ?? []);
      folders = linked.filter(isNew).filter(staysBelow);
    }
  }
  return { files: files.sort((a, b) => byCodeUnit(a.id, b.id)), warnings };
}

async function list(folder: Place, warn: WarnOfPath): Promise<Listing> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder.path, { withFileTypes: true });
  } catch (error) {
    warn('unreadable', folder.path, `folder skipped: ${(error as Error).message}`);
    return { file: undefined, folders: [], links: [] };
  }
  entries.sort((a, b) => byCodeUnit(a.name, b.name));

  const spellings = entries.filter((entry) => SKILL_FILE.test(entry.name) && !entry.isDirectory());
  const chosen = spellings.find(({ name }) => name === 'SKILL.md') ?? spellings[0];
  if (spellings.length > 1) {
    const others = spellings.filter((entry) => entry !== chosen).map(({ name }) => name);
    warn('several-skill-files', folder.path, `${chosen!.name} was read, ${others.join(', ')} not`);
  }

  const inside = entries.filter(
    ({ name }) => !name.startsWith('.') && name !== 'node_modules' && !SKILL_FILE.test(name),
  );
  return {
    file: chosen?.isFile() ? { ...child(folder, chosen.name), id: folder.id } : undefined,
    folders: inside.filter((entry) => entry.isDirectory()).map(({ name }) => child(folder, name)),
    links: [...inside, ...(chosen ? [chosen] : [])]
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => ({ name, within: folder })),
  };
}

async function follow(link: Link, warn: WarnOfPath): Promise<{ file?: Place; folder?: Place }> {
  const { id, path, root } = child(link.within, link.name);
  try {
    const real = await realpath(path);
    const target = await stat(real);
    if (target.isDirectory()) return { folder: { id, path, real, root } };
    const isSkill = target.isFile() && SKILL_FILE.test(link.name);
    return isSkill ? { file: { id: link.within.id, path, real, root } } : {};
  } catch (error) {
    warn('unreadable', path, `link not followed: ${(error as Error).message}`);
    return {};
  }
}

function child(folder: Place, name: string): Place {
  return {
    id: `${folder.id}/${name}`,
    path: join(folder.path, name),
    real: join(folder.real, name),
    root: folder.root,
  };
}

function contains(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
