import { setTimeout } from 'node:timers/promises';
import { SkillspanError } from '../errors.ts';
import { wholeNumber } from '../validate.ts';
import type { CorpusStatistics } from './corpus-statistics.ts';
import { EXTRACTIVE_VERSION } from './extractive.ts';
import type { PageWriter, Tokens } from './language-model.ts';
import type { Page, Provenance } from './page.ts';
import type { PageStore } from './page-file.ts';
import { isRefusal } from './retries.ts';
import { extractivePages, membersOf, toPages, type Unit } from './units.ts';

/** Remarks on the pages of skills, by id. */
export type Remarks = ReadonlyMap<string, readonly string[]>;

/** Units without a model that are stored together. */
const PORTION = 256;

export interface CompileOptions {
  store: PageStore;
  /** Of the whole registry. */
  statistics: CorpusStatistics;
  /** A language model; without one, pages are extractive. */
  writer?: PageWriter;
  /** Neighbourhoods that the model works on at once, at least 1. Default 4. */
  concurrency?: number;
  /** Neighbourhoods begun in a minute, at least 1. Default: no limit. */
  perMinute?: number;
  /** What is wrong with pages, by skill id: their units are compiled again, and the model is told. */
  remarks?: Remarks;
  /** Called after every unit. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** A unit whose pages are not what was asked for. */
export interface FellBack {
  /** Ids of its skills. */
  readonly skills: readonly string[];
  readonly reason: string;
}

export interface CompileReport {
  /** Units whose pages were there and true. */
  readonly kept: number;
  /** Units whose pages were written as asked for. */
  readonly compiled: number;
  /** Units that got extractive pages because the model failed; the next run asks again. */
  readonly fellBack: readonly FellBack[];
  /** As the model counts them; failed calls that were answered included. */
  readonly tokens: Tokens;
}

/** Which units have to be compiled, and about what that costs. */
export interface CompilePlan {
  readonly kept: number;
  readonly units: readonly Unit[];
  /** Undefined without a language model. */
  readonly tokens: Tokens | undefined;
}

/** What {@link compilePages} would do. */
export function planCompile(
  units: readonly Unit[],
  pages: ReadonlyMap<string, Page>,
  writer?: PageWriter,
  remarks?: Remarks,
): CompilePlan {
  const open = units.filter(
    (unit) => !isDone(unit, pages, writer) || unit.some(({ id }) => remarks?.has(id)),
  );
  const tokens = writer && {
    input: open.reduce((sum, unit) => sum + writer.estimate(unit).input, 0),
    output: open.reduce((sum, unit) => sum + writer.estimate(unit).output, 0),
  };
  return { kept: units.length - open.length, units: open, tokens };
}

/**
 * Writes the pages of every unit that has none or whose pages are no longer true. The pages of a unit are in
 * the store before the next one counts as done, so a process that is killed pays for no unit twice. Where the
 * model fails, the unit gets extractive pages that say so.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND` where the endpoint refuses every call (401, 403, 404), and what
 *   the store throws; pages written until then stay. The signal's reason, once it is aborted.
 */
export async function compilePages(
  units: readonly Unit[],
  options: CompileOptions,
): Promise<CompileReport> {
  const { store, statistics, writer, remarks, onProgress, signal } = options;
  const concurrency = wholeNumber('concurrency', options.concurrency ?? 4, 1, 1_000);
  const plan = planCompile(units, await store.load(), writer, remarks);
  const tokens = { input: 0, output: 0 };
  const fellBack: FellBack[] = [];
  let done = plan.kept;

  const pagesOf = async (unit: Unit, ownSignal: AbortSignal): Promise<Page[]> => {
    if (!writer) return extractivePages(unit, statistics);
    const { model, promptVersion } = writer;
    try {
      const spent = ({ input, output }: Tokens) => {
        tokens.input += input;
        tokens.output += output;
      };
      const said = unit.map(({ id }) => remarks?.get(id) ?? []);
      const texts = await writer.write(unit, { spent, remarks: said, signal: ownSignal });
      return toPages(unit, texts, {
        compiler: 'language-model',
        model,
        promptVersion,
        fallback: null,
      });
    } catch (error) {
      ownSignal.throwIfAborted();
      if (error instanceof SkillspanError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (isRefusal(error)) {
        const message = `${model}: expected an endpoint that answers, got a refusal: ${reason}`;
        throw new SkillspanError('ERR_MODEL_NOT_FOUND', message, { cause: error });
      }
      fellBack.push({ skills: unit.map(({ id }) => id), reason });
      return extractivePages(unit, statistics, `${model}: ${reason}`);
    }
  };

  // One worker that fails stops the others.
  const failure = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const turn = pacer(options.perMinute);
  // What a model wrote is stored at once; what costs nothing is written in larger portions.
  const portion = writer ? 1 : PORTION;
  const queue = plan.units.values();
  const work = async () => {
    let written: Page[][] = [];
    const keep = async () => {
      await store.append(written.flat());
      done += written.length;
      written = [];
      onProgress?.(done, units.length);
    };
    for (const unit of queue) {
      await turn(stop);
      written.push(await pagesOf(unit, stop));
      if (written.length >= portion) await keep();
    }
    if (written.length > 0) await keep();
  };
  const workers = Array.from({ length: writer ? concurrency : 1 }, () =>
    work().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  const settled = await Promise.allSettled(workers);
  signal?.throwIfAborted();
  if (settled.some(({ status }) => status === 'rejected')) throw failure.signal.reason;
  return { kept: plan.kept, compiled: plan.units.length - fellBack.length, fellBack, tokens };
}

/** Whether every member has a page of this compiler that was made of these very members. */
function isDone(
  unit: Unit,
  pages: ReadonlyMap<string, Page>,
  writer?: Pick<PageWriter, 'model' | 'promptVersion'>,
): boolean {
  const wanted: Pick<Provenance, 'compiler' | 'model' | 'promptVersion'> = writer
    ? { compiler: 'language-model', model: writer.model, promptVersion: writer.promptVersion }
    : { compiler: 'extractive', model: null, promptVersion: EXTRACTIVE_VERSION };
  const members = JSON.stringify(membersOf(unit));
  return unit.every(({ id, contentHash }) => {
    const page = pages.get(id);
    if (!page || page.contentHash !== contentHash) return false;
    const { compiler, model, promptVersion, members: compared, fallback } = page.provenance;
    return (
      fallback === null &&
      compiler === wanted.compiler &&
      model === wanted.model &&
      promptVersion === wanted.promptVersion &&
      JSON.stringify(compared) === members
    );
  });
}

/** Lets so many through in a minute, evenly. */
function pacer(perMinute: number | undefined): (signal: AbortSignal) => Promise<void> {
  const gap = perMinute === undefined ? 0 : 60_000 / wholeNumber('perMinute', perMinute, 1, 1e6);
  let next = 0;
  return async (signal) => {
    signal.throwIfAborted();
    const now = performance.now();
    const wait = Math.max(0, next - now);
    next = Math.max(now, next) + gap;
    if (wait > 0) await setTimeout(wait, undefined, { signal });
  };
}
