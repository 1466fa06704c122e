import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, truncate } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Prose, unexpected } from '../errors.ts';
import { type Page, readPage } from './page.ts';

/** Where pages are kept. Of several pages of one skill the last counts. */
export interface PageStore {
  /** All pages, by skill id. */
  load(): Promise<ReadonlyMap<string, Page>>;
  /** Adds or replaces pages; once the promise resolves they survive a crash. */
  append(pages: readonly Page[]): Promise<void>;
  /** Makes these all the pages there are, at once or not at all. */
  replace(pages: readonly Page[]): Promise<void>;
}

/**
 * Pages in a JSON Lines file, a page a line. Pages are appended and synced, so a process that is killed
 * loses at most what it was writing: a last line without an end is cut off when the file is read next.
 */
export class PageFile implements PageStore {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** @throws {SkillspanError} `ERR_FILE`; `ERR_PAGE_INVALID` naming file and line. */
  async load(): Promise<ReadonlyMap<string, Page>> {
    const text = await this.#read();
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole.length < text.length) {
      await this.#using(() => truncate(this.path, Buffer.byteLength(whole)));
    }
    const pages = new Map<string, Page>();
    for (const [i, line] of whole.split('\n').entries()) {
      if (line.trim() === '') continue;
      const place = `${this.path}:${i + 1}`;
      const page = readPage(parse(line, place), place);
      pages.set(page.skill, page);
    }
    return pages;
  }

  /** @throws {SkillspanError} `ERR_FILE`. */
  async append(pages: readonly Page[]): Promise<void> {
    await this.#using(async () => {
      await mkdir(dirname(this.path), { recursive: true });
      await write(this.path, 'a', pages);
    });
  }

  /** @throws {SkillspanError} `ERR_FILE`. */
  async replace(pages: readonly Page[]): Promise<void> {
    const temporary = `${this.path}.${process.pid}.${randomUUID()}.tmp`;
    await this.#using(async () => {
      await mkdir(dirname(this.path), { recursive: true });
      try {
        await write(temporary, 'w', pages);
        await rename(temporary, this.path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    });
  }

  #read(): Promise<string> {
    return this.#using(() =>
      readFile(this.path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      }),
    );
  }

  async #using<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (cause) {
      const came = new Prose((cause as Error).message);
      throw unexpected('ERR_FILE', this.path, 'a file that can be used', came, { cause });
    }
  }
}

async function write(path: string, flags: 'a' | 'w', pages: readonly Page[]): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.appendFile(pages.map((page) => `${JSON.stringify(page)}\n`).join(''));
    await file.datasync();
  } finally {
    await file.close();
  }
}

function parse(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    const came = new Prose((cause as Error).message);
    throw unexpected('ERR_PAGE_INVALID', place, 'a capability page in JSON', came, { cause });
  }
}
