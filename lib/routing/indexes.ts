import { setImmediate } from 'node:timers/promises';
import { SkillspanError } from '../errors.ts';
import { LexicalIndex } from '../lexical-index.ts';
import type { EncoderIdentity } from '../registry/embeddings.ts';
import { type IndexFile, IndexFiles } from '../registry/store/index-files.ts';
import type { StoreReader } from '../registry/store/reader.ts';
import type { SkillStore } from '../registry/store/skill-store.ts';
import { VectorIndex } from '../vector-index.ts';
import { RECIPE } from './recipe.ts';
import { termsOf } from './terms.ts';

/** Skills read and indexed in one step; the term counts of a whole registry would fill the heap. */
const STEP = 1_024;

/** A file is written anew when more than this, and this share, of the skills changed since. */
const TAIL = { least: 64, share: 0.02 };

/** A native index of either kind. */
type NativeIndex = VectorIndex | LexicalIndex;

/** How an index of one kind is opened and filled. */
interface Kind<I extends NativeIndex> {
  readonly files: IndexFiles | undefined;
  readonly empty: () => I;
  readonly open: (path: string) => Promise<I>;
  readonly save: (index: I, path: string) => Promise<void>;
  readonly add: (index: I, rows: readonly number[], reader: StoreReader) => Promise<unknown>;
}

/** One index, the change up to which it holds the skills, and that up to which its file does. */
class Derived<I extends NativeIndex> {
  readonly index: I;
  readonly #kind: Kind<I>;
  #change: number;
  #saved: number;
  /** Skills changed since the file was written. */
  #tail = 0;

  private constructor(kind: Kind<I>, index: I, change: number) {
    this.#kind = kind;
    this.index = index;
    this.#change = change;
    this.#saved = change;
  }

  /** Opens the newest sound file and adds what it lacks; or builds the index. */
  static async load<I extends NativeIndex>(
    kind: Kind<I>,
    reader: StoreReader,
    problems: string[],
  ): Promise<Derived<I>> {
    for (const file of kind.files?.upTo(reader.change) ?? []) {
      const index = await openSound(kind, file, problems);
      if (!index) continue;
      const derived = new Derived(kind, index, file.change);
      await derived.advance(reader);
      if (index.size === reader.size) return derived;
      problems.push(`${file.path}: ${index.size} rows for ${reader.size} skills; it was rebuilt`);
      kind.files!.drop(file);
    }
    const derived = new Derived(kind, kind.empty(), -1);
    await derived.advance(reader);
    return derived;
  }

  /** Takes over what changed up to the reader's moment. */
  async advance(reader: StoreReader): Promise<void> {
    const freed = reader.freedAfter(this.#change);
    if (freed.length > 0) await this.index.remove(freed);
    const rows = reader.rowsAfter(this.#change);
    for (let first = 0; first < rows.length; first += STEP) {
      await this.#kind.add(this.index, rows.slice(first, first + STEP), reader);
      if (first + STEP < rows.length) await setImmediate();
    }
    this.#tail += freed.length + rows.length;
    this.#change = reader.change;
  }

  /** Writes a file where there is none, or where it lacks much. */
  async save(): Promise<void> {
    const { files } = this.#kind;
    const { least, share } = TAIL;
    const enough = this.#saved < 0 || this.#tail > Math.max(least, share * this.index.size);
    if (!files || !enough || this.index.size === 0) return;
    const change = this.#change;
    const tail = this.#tail;
    await this.#kind.save(this.index, files.pathFor(change));
    this.#saved = change;
    this.#tail -= tail;
    files.dropBefore(change);
  }
}

async function openSound<I extends NativeIndex>(
  kind: Kind<I>,
  file: IndexFile,
  problems: string[],
): Promise<I | undefined> {
  try {
    return await kind.open(file.path);
  } catch (error) {
    if (!(error instanceof SkillspanError)) throw error;
    // The baseline opens no files.
    if (error.code === 'ERR_NATIVE_LOAD') return undefined;
    problems.push(`${error.message}; it was rebuilt`);
    kind.files!.drop(file);
    return undefined;
  }
}

/** The native indexes of a store: its vectors, and its words by BM25. */
export class Indexes {
  /** Files that were damaged or did not match; what they held was built from the store. */
  readonly problems: readonly string[];
  readonly #vectors: Derived<VectorIndex>;
  readonly #words: Derived<LexicalIndex>;
  #saving: Promise<void> | undefined;

  private constructor(
    vectors: Derived<VectorIndex>,
    words: Derived<LexicalIndex>,
    problems: readonly string[],
  ) {
    this.#vectors = vectors;
    this.#words = words;
    this.problems = problems;
  }

  static async load(
    store: SkillStore,
    reader: StoreReader,
    encoder: EncoderIdentity,
  ): Promise<Indexes> {
    const problems: string[] = [];
    const [vectors, words] = await Promise.all([
      Derived.load(vectorKind(store, reader, encoder), reader, problems),
      Derived.load(wordKind(store, reader), reader, problems),
    ]);
    return new Indexes(vectors, words, problems);
  }

  get vectors(): VectorIndex {
    return this.#vectors.index;
  }

  get words(): LexicalIndex {
    return this.#words.index;
  }

  /** Takes over what changed up to the reader's moment. */
  async advance(reader: StoreReader): Promise<void> {
    await Promise.all([this.#vectors.advance(reader), this.#words.advance(reader)]);
  }

  /** Writes what has no file, or an old one. One at a time; what changes meanwhile waits for the next. */
  async save(): Promise<void> {
    this.#saving ??= Promise.all([this.#vectors.save(), this.#words.save()])
      .then(() => {})
      .finally(() => {
        this.#saving = undefined;
      });
    await this.#saving;
  }
}

function vectorKind(
  { dir }: SkillStore,
  reader: StoreReader,
  encoder: EncoderIdentity,
): Kind<VectorIndex> {
  const { fingerprint, dim } = encoder;
  return {
    files:
      dir === undefined
        ? undefined
        : new IndexFiles(dir, 'vectors', [reader.meta('store'), fingerprint]),
    empty: () => VectorIndex.empty({ dim }),
    open: (path) => VectorIndex.open(path, { encoder: fingerprint, checkRows: true }),
    save: (index, path) => index.save(path, { encoder: fingerprint }),
    add: (index, rows, source) => index.add(rows, source.vectorsOf(rows, encoder)),
  };
}

function wordKind({ dir }: SkillStore, reader: StoreReader): Kind<LexicalIndex> {
  const facts = [reader.meta('store'), RECIPE.fieldWeights];
  return {
    files: dir === undefined ? undefined : new IndexFiles(dir, 'words', facts),
    empty: () => new LexicalIndex({ model: 'bm25' }),
    open: (path) => LexicalIndex.open(path),
    save: (index, path) => index.save(path),
    add: (index, rows, source) => index.add(rows.map((row) => [row, termsOf(source.textOf(row))])),
  };
}
