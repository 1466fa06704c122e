import { basename, join } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import type { Root } from './roots.ts';

/** Events are gathered this long, in milliseconds: a save is several of them, a checkout thousands. */
const GATHER_MS = 30;

const SKILL_FILE = /^skill\.md$/i;

export interface Watching {
  /** Called with the skill files that came, changed or went; never twice at a time. */
  readonly onFiles: (paths: readonly string[]) => Promise<void>;
  /** Called where the system refuses to watch any longer, or some of it. */
  readonly onProblem: (problem: Error) => void;
}

/** Follows folders, as {@link findSkillFiles} enters them. */
export class FolderWatcher {
  readonly #watcher: FSWatcher;
  readonly #watching: Watching;
  #gathered = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | undefined;

  private constructor(watcher: FSWatcher, watching: Watching) {
    this.#watcher = watcher;
    this.#watching = watching;
  }

  /** Resolves once changes are seen. */
  static async open(roots: readonly Root[], watching: Watching): Promise<FolderWatcher> {
    const tops = new Set(roots.map(({ path }) => path));
    const watcher = watch([...tops], {
      ignoreInitial: true,
      ignored: (path, stats) => {
        if (tops.has(path)) return false;
        const name = basename(path);
        if (stats?.isFile()) return !SKILL_FILE.test(name);
        return name.startsWith('.') || name === 'node_modules';
      },
    });
    const folderWatcher = new FolderWatcher(watcher, watching);
    watcher.on('all', (_event, path) => {
      if (SKILL_FILE.test(basename(path))) folderWatcher.#gather(path);
    });
    // Of several changes of a file within 50 ms, chokidar tells the first alone; the last one counts.
    watcher.on('raw', (_event, name, details) => {
      const watched = (details as { watchedPath: string }).watchedPath;
      if (SKILL_FILE.test(basename(watched))) folderWatcher.#gather(watched);
      else if (name && SKILL_FILE.test(name)) folderWatcher.#gather(join(watched, name));
    });
    watcher.on('error', (error) => watching.onProblem(error as Error));
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
    return folderWatcher;
  }

  /** Waits for what is being taken over, and sees nothing more. */
  async close(): Promise<void> {
    await this.#watcher.close();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#working;
  }

  #gather(path: string): void {
    if (this.#watcher.closed) return;
    this.#gathered.add(path);
    if (this.#working) return;
    this.#timer ??= setTimeout(() => this.#hand(), GATHER_MS);
  }

  #hand(): void {
    this.#timer = undefined;
    const paths = [...this.#gathered];
    this.#gathered = new Set();
    this.#working = this.#watching.onFiles(paths).finally(() => {
      this.#working = undefined;
      if (this.#gathered.size > 0 && !this.#watcher.closed) {
        this.#timer ??= setTimeout(() => this.#hand(), GATHER_MS);
      }
    });
  }
}
