import type { Encoder } from '../models/encoder.ts';
import type { StoreReader } from '../registry/store/reader.ts';
import type { SkillStore } from '../registry/store/skill-store.ts';
import { Catalog, meanOf } from './catalog.ts';
import { Indexes } from './indexes.ts';
import { redundancyOf } from './redundancy.ts';

/** The redundancy is measured anew when this share of the skills has come or gone. */
const REDUNDANCY_SHARE = 0.1;

/** A catalog in use by some requests; the last of them closes one that was replaced. */
interface InUse {
  readonly catalog: Catalog;
  users: number;
}

/** The newest catalog of a store. Requests hold on to the one that they began with. */
export class LiveCatalog {
  readonly #store: SkillStore;
  readonly #encoder: Encoder;
  readonly #indexes: Indexes;
  /** Of the names of all skills that there ever were: those of removed ones do no harm. */
  readonly #names: Set<number>;
  #current: InUse;
  #version: number;
  #refreshing: Promise<void> | undefined;

  private constructor(
    store: SkillStore,
    encoder: Encoder,
    indexes: Indexes,
    names: Set<number>,
    catalog: Catalog,
  ) {
    this.#store = store;
    this.#encoder = encoder;
    this.#indexes = indexes;
    this.#names = names;
    this.#version = store.version;
    this.#current = { catalog, users: 1 };
  }

  /** Opens what the store holds; takes over the store, and closes it in the end. */
  static async open(store: SkillStore, encoder: Encoder): Promise<LiveCatalog> {
    store.checkEncoder(encoder);
    const reader = store.reader();
    try {
      const indexes = await Indexes.load(store, reader, encoder);
      const names = reader.nameHashes();
      const redundancy = redundancyNow(store, reader, indexes, encoder);
      const catalog = new Catalog(reader, indexes, { names, redundancy });
      return new LiveCatalog(store, encoder, indexes, names, catalog);
    } catch (error) {
      reader.close();
      throw error;
    }
  }

  get problems(): readonly string[] {
    return this.#indexes.problems;
  }

  /** The catalog that a request begun now would have. */
  get catalog(): Catalog {
    return this.#current.catalog;
  }

  /** Does something with the newest catalog, which stays as it is meanwhile. */
  async use<T>(work: (catalog: Catalog) => Promise<T>): Promise<T> {
    this.#poll();
    const held = this.#current;
    held.users += 1;
    try {
      return await work(held.catalog);
    } finally {
      release(held);
    }
  }

  /** Takes over what this or another process has written. */
  async refresh(): Promise<void> {
    // What is written while this runs, the next one takes.
    await this.#refreshing;
    this.#refreshing ??= this.#advance().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  /** Writes the index files that are missing or old. */
  save(): Promise<void> {
    return this.#indexes.save();
  }

  async close(): Promise<void> {
    await this.#refreshing?.catch(() => {});
    await this.#indexes.save().catch(() => {});
    release(this.#current);
    this.#store.close();
  }

  /** Costs microseconds; the refresh itself does not hold the request up. */
  #poll(): void {
    const { version } = this.#store;
    if (version === this.#version) return;
    this.#version = version;
    void this.refresh().catch(() => {});
  }

  async #advance(): Promise<void> {
    if (this.#store.change === this.#current.catalog.change) return;
    this.#store.checkEncoder(this.#encoder);
    const reader = this.#store.reader();
    try {
      for (const hash of reader.nameHashesAfter(this.#current.catalog.change)) {
        this.#names.add(hash);
      }
      this.#current.catalog.freeze();
      await this.#indexes.advance(reader);
      const redundancy = redundancyNow(this.#store, reader, this.#indexes, this.#encoder);
      const catalog = new Catalog(reader, this.#indexes, { names: this.#names, redundancy });
      const old = this.#current;
      this.#current = { catalog, users: 1 };
      release(old);
    } catch (error) {
      reader.close();
      throw error;
    }
  }
}

function release(held: InUse): void {
  held.users -= 1;
  if (held.users === 0) held.catalog.close();
}

function redundancyNow(
  store: SkillStore,
  reader: StoreReader,
  { vectors }: Indexes,
  encoder: Encoder,
): number {
  const noted = reader.meta('redundancy') as string | undefined;
  if (noted !== undefined) {
    const { redundancy, size } = JSON.parse(noted) as { redundancy: number; size: number };
    if (Math.abs(reader.size - size) <= REDUNDANCY_SHARE * size) return redundancy;
  }
  const redundancy = redundancyOf(
    reader.rowsAfter(-1),
    (rows) => reader.vectorsOf(rows, encoder),
    meanOf(reader, encoder.dim),
    vectors,
  );
  store.noteRedundancy(redundancy, reader.size);
  return redundancy;
}
