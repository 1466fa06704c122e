import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** An index file, and the number of the change up to which it holds the skills. */
export interface IndexFile {
  readonly path: string;
  readonly change: number;
}

/**
 * The files of one native index, `<kind>-<key>-<change>.idx`, beside the database that they are derived
 * from. The key says what else they depend on, so that nobody opens one for another.
 */
export class IndexFiles {
  readonly #dir: string;
  readonly #kind: string;
  readonly #key: string;

  /** @param facts all that decides what is in the files, but for the skills. */
  constructor(dir: string, kind: string, facts: readonly unknown[]) {
    this.#dir = dir;
    this.#kind = kind;
    this.#key = createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 12);
  }

  /** Those that hold no later change than this one, the newest first. */
  upTo(change: number): IndexFile[] {
    return this.#all()
      .filter((file) => file.key === this.#key && file.change <= change)
      .sort((a, b) => b.change - a.change);
  }

  pathFor(change: number): string {
    return join(this.#dir, `${this.#kind}-${this.#key}-${change}.idx`);
  }

  /** Removes those that a newer one makes needless; a process that has one open keeps its content. */
  dropBefore(change: number): void {
    for (const file of this.#all()) {
      if (file.key !== this.#key || file.change < change) remove(file.path);
    }
  }

  drop({ path }: IndexFile): void {
    remove(path);
  }

  #all(): (IndexFile & { readonly key: string })[] {
    return readdirSync(this.#dir).flatMap((name) => {
      const [, kind, key, change] = /^(\w+)-([0-9a-f]{12})-(\d+)\.idx$/.exec(name) ?? [];
      if (kind !== this.#kind) return [];
      return [{ path: join(this.#dir, name), key: key!, change: Number(change) }];
    });
  }
}

/** Windows refuses to remove a file that is open: then it goes with the next one. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
