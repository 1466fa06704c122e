import { join } from 'node:path';
import type { LexicalModel } from '../contract.ts';
import { LexicalIndex } from '../lexical-index.ts';
import type { Encoder } from '../models/encoder.ts';
import { indexView } from '../registry/index-view.ts';
import type { Skill } from '../registry/registry.ts';
import { embedSkills } from '../routing/embed.ts';
import { SkillRouter } from '../routing/router.ts';
import type { Progress } from '../routing/types.ts';
import { countTerms } from '../tokenize.ts';
import { VectorIndex } from '../vector-index.ts';
import { CachedEncoder } from './cached-encoder.ts';

/** Skills indexed by words in one step: the term counts of a whole benchmark would fill the heap. */
const ADDED_AT_ONCE = 4_096;

export interface WorkbenchOptions {
  /** Stays the caller's, who disposes of it. */
  encoder: Encoder;
  /** Where embeddings are kept: of the skills, and of the requests in a folder below. */
  cacheDir: string;
  onProgress?: Progress;
}

/** What the methods share: one set of skills, embedded and indexed once. Rows are positions in `skills`. */
export class Workbench {
  readonly skills: readonly Skill[];
  /** skills.length × dim, row-major. */
  readonly vectors: Float32Array;
  readonly index: VectorIndex;
  readonly encoder: CachedEncoder;
  readonly #cacheDir: string;
  readonly #cacheProblem: string | undefined;
  readonly #rows: ReadonlyMap<string, number>;
  readonly #lexical = new Map<LexicalModel, LexicalIndex>();
  readonly #view: (skill: Skill) => string;
  #router: Promise<SkillRouter> | undefined;

  private constructor(
    skills: readonly Skill[],
    vectors: Float32Array,
    encoder: CachedEncoder,
    cacheDir: string,
    cacheProblem: string | undefined,
    view: (skill: Skill) => string,
  ) {
    this.skills = skills;
    this.vectors = vectors;
    this.index = VectorIndex.from(vectors, { dim: encoder.dim });
    this.encoder = encoder;
    this.#cacheDir = cacheDir;
    this.#cacheProblem = cacheProblem;
    this.#view = view;
    this.#rows = new Map(skills.map(({ id }, row) => [id, row]));
  }

  /**
   * Embeds the skills that are not in the cache.
   * @param skills at least one, each with an id of its own.
   * @throws whatever the encoder throws.
   */
  static async open(
    skills: readonly Skill[],
    { encoder, cacheDir, onProgress }: WorkbenchOptions,
  ): Promise<Workbench> {
    const cached = CachedEncoder.open(encoder, join(cacheDir, 'requests'));
    const { vectors, cacheProblem } = await embedSkills(skills, cached, cacheDir, { onProgress });
    return new Workbench(skills, vectors, cached, cacheDir, cacheProblem, indexView);
  }

  /**
   * A workbench over other texts of the same skills, with the same encoder.
   * @param name of the view, a folder of which below the cache keeps the embeddings: a cache drops what is
   *   not of its texts.
   */
  async withView(
    name: string,
    view: (skill: Skill) => string,
    onProgress?: Progress,
  ): Promise<Workbench> {
    const { skills, encoder } = this;
    const cacheDir = join(this.#cacheDir, 'views', encodeURIComponent(name));
    const rows = [...skills.keys()].filter(
      (row) => view(skills[row]!) !== this.#view(skills[row]!),
    );
    const changed = rows.map((row) => skills[row]!);
    const options = { onProgress, view };
    const { vectors, cacheProblem } = await embedSkills(changed, encoder, cacheDir, options);
    const all = this.vectors.slice();
    const { dim } = encoder;
    for (const [i, row] of rows.entries()) {
      all.set(vectors.subarray(i * dim, (i + 1) * dim), row * dim);
    }
    return new Workbench(skills, all, encoder, cacheDir, cacheProblem, view);
  }

  /** Why embeddings could not be read from the disk or written to it. */
  get cacheProblems(): string[] {
    return [this.#cacheProblem, this.encoder.problem].filter((problem) => problem !== undefined);
  }

  /** The query vector of a request, dim numbers. */
  encode(request: string): Promise<Float32Array> {
    return this.encoder.encode([request], { kind: 'query' });
  }

  /** The row of a skill; undefined for an id that is none of them. */
  rowOf(id: string): number | undefined {
    return this.#rows.get(id);
  }

  /** The vector of a row, dim numbers, not a copy. */
  vector(row: number): Float32Array {
    return this.vectors.subarray(row * this.index.dim, (row + 1) * this.index.dim);
  }

  /** Words of the index views; built when first asked for, as reading every body takes its time. */
  lexical(model: LexicalModel): LexicalIndex {
    let index = this.#lexical.get(model);
    if (!index) {
      index = new LexicalIndex({ model });
      for (let first = 0; first < this.skills.length; first += ADDED_AT_ONCE) {
        const chunk = this.skills.slice(first, first + ADDED_AT_ONCE);
        index.addSync(chunk.map((skill, i) => [first + i, termsOf(this.#view(skill))]));
      }
      this.#lexical.set(model, index);
    }
    return index;
  }

  /** The project's own pipeline over the same skills; opened when first asked for. */
  router(): Promise<SkillRouter> {
    const { encoder } = this;
    this.#router ??= SkillRouter.from(this.skills, { encoder, cacheDir: this.#cacheDir });
    return this.#router;
  }
}

function termsOf(view: string): Map<string, number> {
  return countTerms([{ text: view, weight: 1 }]);
}
