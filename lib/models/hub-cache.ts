import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';

/** Where the Hugging Face libraries of every language keep what they download. */
export function hubCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const home =
    env.HF_HOME ?? path.join(env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'huggingface');
  return env.HF_HUB_CACHE ?? env.HUGGINGFACE_HUB_CACHE ?? path.join(home, 'hub');
}

/** One repository in the cache: `blobs/` by checksum, `snapshots/<commit>/` of links to them, `refs/`. */
export class CachedRepository {
  readonly folder: string;

  constructor(repository: string, cacheDir = hubCacheDir()) {
    this.folder = path.join(cacheDir, `models--${repository.replaceAll('/', '--')}`);
  }

  /** The folder of the commit that `main` was at when it was last looked up; undefined if it never was. */
  async snapshot(): Promise<string | undefined> {
    const file = path.join(this.folder, 'refs', 'main');
    const commit = await readFile(file, 'utf8').catch(() => undefined);
    return commit === undefined ? undefined : this.snapshotOf(commit.trim());
  }

  snapshotOf(commit: string): string {
    return path.join(this.folder, 'snapshots', commit);
  }

  blob(checksum: string): string {
    return path.join(this.folder, 'blobs', checksum);
  }

  async remember(commit: string): Promise<void> {
    const refs = path.join(this.folder, 'refs');
    await mkdir(refs, { recursive: true });
    await writeFile(path.join(refs, 'main.new'), commit);
    await rename(path.join(refs, 'main.new'), path.join(refs, 'main'));
  }

  /** Makes a blob appear in a snapshot; as a copy where the file system has no links. */
  async link(checksum: string, commit: string, file: string): Promise<void> {
    const target = path.join(this.snapshotOf(commit), ...file.split('/'));
    if (await exists(target)) return;
    await mkdir(path.dirname(target), { recursive: true });
    const blob = this.blob(checksum);
    await symlink(path.relative(path.dirname(target), blob), target).catch(() =>
      copyFile(blob, target),
    );
  }
}

/** Names of the model repositories in the cache. */
export async function cachedRepositories(cacheDir = hubCacheDir()): Promise<string[]> {
  const names = await readdir(cacheDir).catch(() => []);
  return names
    .filter((name) => name.startsWith('models--'))
    .map((name) => name.slice('models--'.length).replaceAll('--', '/'))
    .sort();
}

export async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
