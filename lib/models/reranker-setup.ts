import { firstCodePoints } from '../code-points.ts';
import { SkillspanError, unexpected } from '../errors.ts';
import { padBatch, type TokenSequence } from './batches.ts';
import type { Provider } from './devices.ts';
import type { Head } from './heads.ts';
import type { ModelFolder } from './model-folder.ts';
import { type ModelOptions, openModel } from './open-model.ts';
import { type JudgePreset, type RerankerPreset, rerankerPreset } from './presets.ts';
import type { SessionThread } from './session-thread.ts';
import type { SkillCaps } from './text-form.ts';
import { TextTokenizer } from './tokenizer.ts';

/** Tokens of a pair, where a preset does not cap the texts by code points. */
const DEFAULT_TOKENS = 512;

/** Of two classes, the one that says that a document serves, by its name. */
const SERVES = /^(label_)?1$|^(yes|true|relevant|positive|entailment)$/i;

export interface OnnxRerankerOptions extends ModelOptions {
  readonly model: string;
  /** What a judge is asked to judge by. Default: what its preset says. */
  readonly instruction?: string;
  /** Where a pair is cut, in tokens, all of a template included. Default: 512, or what a preset that caps texts says. */
  readonly tokens?: number;
  /** As of an encoder: how long a call waits for others, in milliseconds. Default: 2. */
  readonly deadline?: number;
}

/** An open reranker, with all that was worked out about it. */
export interface RerankerSetup {
  readonly session: SessionThread;
  readonly provider: Provider;
  readonly tokenizer: TextTokenizer;
  readonly head: Head;
  readonly caps: SkillCaps | undefined;
  pair(request: string, document: string): TokenSequence;
}

/** Opens a reranker and proves that its parts fit. Errors: see OnnxEncoder.open. */
export async function setUpReranker(options: OnnxRerankerOptions): Promise<RerankerSetup> {
  checkOptions(options);
  rerankerPreset(options.preset);
  const { folder, session, provider, ...model } = await openModel(options, 'score');
  try {
    const preset = rerankerPreset(model.preset);
    const tokenizer = new TextTokenizer(folder, preset);
    const tokens = tokenLimit(options.tokens, preset, folder);
    const write = preset?.kind === 'judge' ? judged : classified;
    const pair = write({ tokenizer, tokens, preset: preset as JudgePreset, options });
    const classes = await probe(session, tokenizer, pair, folder);
    const head =
      preset?.kind === 'judge'
        ? verdict(tokenizer, preset, classes, folder)
        : classHead(classes, folder, session);
    const caps = preset?.caps;
    return { session, provider, tokenizer, head, caps, pair };
  } catch (error) {
    await session.release();
    throw error;
  }
}

interface Writing {
  readonly tokenizer: TextTokenizer;
  readonly tokens: number;
  readonly preset: JudgePreset;
  readonly options: OnnxRerankerOptions;
}

type Pair = RerankerSetup['pair'];

/** A prefix and a suffix that are kept, and between them what is judged, cut at its end. */
function judged({ tokenizer, tokens, preset, options }: Writing): Pair {
  const prefix = tokenizer.content(preset.prefix, Infinity);
  const suffix = tokenizer.content(preset.suffix, Infinity);
  const room = tokens - prefix.length - suffix.length;
  if (room < 1) {
    const expected = `more than the template's ${prefix.length + suffix.length}`;
    throw unexpected('ERR_OUT_OF_RANGE', 'tokens', expected, tokens);
  }
  const instruction = options.instruction ?? preset.instruction;
  return (request, document) => {
    const asked = tokenizer.plain(cut(request, preset));
    const read = tokenizer.plain(document);
    const middle = `<Instruct>: ${instruction}\n\n<Query>: ${asked}\n\n<Document>: ${read}`;
    return { ids: Int32Array.from([...prefix, ...tokenizer.content(middle, room), ...suffix]) };
  };
}

/** A pair as the tokenizer's own template joins it. */
function classified({ tokenizer, tokens, preset }: Writing): Pair {
  return (request, document) =>
    tokenizer.encodePair(tokenizer.plain(cut(request, preset)), tokenizer.plain(document), tokens);
}

function cut(request: string, preset: RerankerPreset | undefined): string {
  return preset?.request === undefined ? request : firstCodePoints(request, preset.request);
}

/** Runs the model once; says how many numbers a text, or a token, gets. */
async function probe(
  session: SessionThread,
  tokenizer: TextTokenizer,
  pair: Pair,
  folder: ModelFolder,
): Promise<number> {
  const batch = padBatch([pair('a', 'b')], tokenizer.padId, tokenizer.paddingSide);
  const { dims } = await session.run(batch, { kind: 'score', plus: 0 });
  if (dims[0] === 1 && dims.length >= 2 && dims.length <= 3) return dims.at(-1)!;
  const expected = 'logits of 1 × classes, or of 1 × tokens × words';
  throw unexpected('ERR_MODEL_MISMATCH', folder.onnxFile, expected, dims.join(' × '));
}

function verdict(
  tokenizer: TextTokenizer,
  { yes, no }: JudgePreset,
  words: number,
  { onnxFile }: ModelFolder,
): Head {
  const [plus, minus] = [tokenizer.idOf(yes), tokenizer.idOf(no)];
  if (Math.max(plus, minus) < words) return { kind: 'score', plus, minus };
  const expected = `logits of at least ${Math.max(plus, minus) + 1} words`;
  throw unexpected('ERR_MODEL_MISMATCH', onnxFile, expected, words);
}

function classHead(classes: number, { labels, path }: ModelFolder, session: SessionThread): Head {
  if (session.facts.outputRank === 3) {
    throw new SkillspanError(
      'ERR_INVALID_ARGUMENT',
      `preset: expected that of a language model with its template, as ${path} is one, got none`,
    );
  }
  if (classes === 1) return { kind: 'score', plus: 0 };
  const plus = labels?.findIndex((label) => SERVES.test(label)) ?? -1;
  if (classes === 2 && labels?.length === 2 && plus >= 0) {
    return { kind: 'score', plus, minus: 1 - plus };
  }
  const expected =
    'one logit, or two of which id2label in config.json says which is the positive one';
  const came = `${classes}, ${labels ? labels.join(' and ') : 'without names'}`;
  throw unexpected('ERR_MODEL_MISMATCH', path, expected, came);
}

function tokenLimit(
  wanted: number | undefined,
  preset: RerankerPreset | undefined,
  folder: ModelFolder,
): number {
  const most = Math.min(folder.maxTokens, preset?.tokens ?? Infinity);
  const limit = wanted ?? Math.min(preset?.caps ? preset.tokens : DEFAULT_TOKENS, most);
  if (Number.isInteger(limit) && limit >= 8 && limit <= most) return limit;
  throw unexpected('ERR_OUT_OF_RANGE', 'tokens', `8 to ${most} for this model`, limit);
}

function checkOptions({ model, instruction, deadline }: OnnxRerankerOptions): void {
  if (typeof model !== 'string') {
    const expected = 'a model folder, a preset or a hub repository';
    throw unexpected('ERR_INVALID_ARGUMENT', 'model', expected, model);
  }
  if (instruction !== undefined && typeof instruction !== 'string') {
    throw unexpected('ERR_INVALID_ARGUMENT', 'instruction', 'a string', instruction);
  }
  if (deadline !== undefined && !(Number.isInteger(deadline) && deadline >= 0)) {
    throw unexpected('ERR_OUT_OF_RANGE', 'deadline', 'an integer of at least 0', deadline);
  }
}
