import { SkillspanError, unexpected } from '../errors.ts';
import { padBatch } from './batches.ts';
import type { Provider } from './devices.ts';
import { fingerprint } from './fingerprint.ts';
import type { Head } from './heads.ts';
import type { ModelFolder } from './model-folder.ts';
import { type ModelOptions, openModel } from './open-model.ts';
import { POOLINGS, type Pooling } from './pooling.ts';
import { type EncoderPreset, encoderPreset } from './presets.ts';
import type { SessionThread } from './session-thread.ts';
import type { SkillCaps, TextForm } from './text-form.ts';
import { TextTokenizer } from './tokenizer.ts';

const DEFAULT_QUERY_TOKENS = 512;
const DEFAULT_DOCUMENT_TOKENS = 256;

export type TextKind = 'query' | 'document';

export interface OnnxEncoderOptions extends ModelOptions {
  /** Default: what preset or folder say, else 'cls' for BERT and its kin. Others have to say. */
  readonly pooling?: Pooling;
  /** Put before every query. Default: what preset or folder say, else nothing. */
  readonly queryPrompt?: string;
  /** Put before every document. Default: what preset or folder say, else nothing. */
  readonly documentPrompt?: string;
  /** Where queries are cut, in tokens, prompt and special tokens included. Default: 512. */
  readonly queryTokens?: number;
  /**
   * Where documents are cut. Default: 256. Both defaults shrink to what the model takes, and grow to
   * that where a preset caps texts by code points.
   */
  readonly documentTokens?: number;
  /** Components that are kept of a vector, which then gets its unit length back (Matryoshka). */
  readonly dim?: number;
  /** Version of the text view the caller encodes; part of the fingerprint. */
  readonly textView?: string;
  /**
   * How long a call waits for others that have begun, to share model runs with them, in milliseconds.
   * A lone call never waits. Default: 2.
   */
  readonly deadline?: number;
  /** Vectors of short texts that are kept in memory, of each kind, for when they come again. Default: 1,000. */
  readonly remembered?: number;
}

/** How one kind of text is prepared. */
export interface TextRule {
  readonly form: TextForm;
  /** Longest sequence, prompt and special tokens included. */
  readonly tokens: number;
}

/** An open model, with all that was worked out about it. */
export interface EncoderSetup {
  readonly session: SessionThread;
  readonly provider: Provider;
  readonly tokenizer: TextTokenizer;
  readonly rules: Readonly<Record<TextKind, TextRule>>;
  readonly caps: SkillCaps | undefined;
  readonly head: Head;
  /** Components of a vector. */
  readonly dim: number;
  readonly fingerprint: string;
}

/** Opens a model and proves that its parts fit. Errors: see OnnxEncoder.open. */
export async function setUp(options: OnnxEncoderOptions): Promise<EncoderSetup> {
  checkOptions(options);
  encoderPreset(options.preset);
  const { folder, session, provider, ...model } = await openModel(options, 'embed');
  try {
    const preset = encoderPreset(model.preset);
    const tokenizer = new TextTokenizer(folder, preset);
    checkVocabulary(tokenizer, folder);
    const rules = {
      query: rule('query', options, preset, folder, tokenizer),
      document: rule('document', options, preset, folder, tokenizer),
    };
    const head = chooseHead(options, preset, folder, session);
    const fullDim = await probeDimension(session, tokenizer, folder, head);
    const dim = chooseDim(options.dim, fullDim, preset);
    const hash = await fingerprint([...folder.weightFiles, ...folder.tokenizerFiles], {
      pooling: head.kind === 'pool' ? head.pooling : 'in the graph',
      queryPrompt: rules.query.form.prefix,
      queryTokens: rules.query.tokens,
      documentPrompt: rules.document.form.prefix,
      documentTokens: rules.document.tokens,
      dtype: 'float32',
      textView: options.textView ?? '',
      ...presetFacts(preset),
      ...(dim !== fullDim && { dim }),
    });
    const { caps } = preset ?? {};
    return { session, provider, tokenizer, rules, caps, head, dim, fingerprint: hash };
  } catch (error) {
    await session.release();
    throw error;
  }
}

function checkOptions(options: OnnxEncoderOptions): void {
  for (const name of ['queryPrompt', 'documentPrompt', 'textView'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') {
      throw unexpected('ERR_INVALID_ARGUMENT', name, 'a string', value);
    }
  }
  if (options.pooling !== undefined && !POOLINGS.includes(options.pooling)) {
    const expected = `one of ${POOLINGS.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'pooling', expected, options.pooling);
  }
  for (const name of ['deadline', 'remembered'] as const) {
    const value = options[name];
    if (value !== undefined && !(Number.isInteger(value) && value >= 0)) {
      throw unexpected('ERR_OUT_OF_RANGE', name, 'an integer of at least 0', value);
    }
  }
}

/** What a preset adds to what decides a vector; nothing where there is none, so that prints stay. */
function presetFacts(preset: EncoderPreset | undefined) {
  const { endToken, query, caps } = preset ?? {};
  return {
    ...(endToken !== undefined && { endToken }),
    ...(query?.codePoints !== undefined && { queryCodePoints: query.codePoints }),
    ...(caps?.description !== undefined && { descriptionCodePoints: caps.description }),
    ...(caps?.body !== undefined && { bodyCodePoints: caps.body }),
  };
}

/** A tokenizer of another model would make ids that this one lacks, or takes for other words. */
function checkVocabulary(tokenizer: TextTokenizer, folder: ModelFolder): void {
  const { vocabSize, path } = folder;
  if (vocabSize === undefined || tokenizer.largestId < vocabSize) return;
  throw new SkillspanError(
    'ERR_MODEL_MISMATCH',
    `${path}: expected token ids below ${vocabSize}, the vocab_size of config.json, ` +
      `got a tokenizer.json with ids up to ${tokenizer.largestId}`,
  );
}

function rule(
  kind: TextKind,
  options: OnnxEncoderOptions,
  preset: EncoderPreset | undefined,
  folder: ModelFolder,
  tokenizer: TextTokenizer,
): TextRule {
  const name = `${kind}Tokens` as const;
  const most = Math.min(folder.maxTokens, preset?.tokens ?? Infinity);
  const least = tokenizer.specialTokenCount + 1;
  const limit = options[name] ?? Math.min(standardTokens(kind, preset), most);
  if (!Number.isInteger(limit) || limit < least || limit > most) {
    const room = most === Infinity ? `an integer of at least ${least}` : `${least} to ${most}`;
    throw unexpected('ERR_OUT_OF_RANGE', name, `${room} for this model`, limit);
  }
  const form = preset?.[kind] ?? { prefix: folder[`${kind}Prompt`] };
  const prefix = options[`${kind}Prompt`];
  return { form: prefix === undefined ? form : { ...form, prefix }, tokens: limit };
}

/** Where a preset caps a skill's parts, they are cut by that, and by tokens only where the model ends. */
function standardTokens(kind: TextKind, preset: EncoderPreset | undefined): number {
  if (preset?.caps) return preset.tokens;
  return kind === 'query' ? DEFAULT_QUERY_TOKENS : DEFAULT_DOCUMENT_TOKENS;
}

function chooseHead(
  options: OnnxEncoderOptions,
  preset: EncoderPreset | undefined,
  folder: ModelFolder,
  session: SessionThread,
): Head {
  if (session.facts.outputRank === 2) {
    if (options.pooling === undefined) return { kind: 'rows' };
    const name = `pooling of ${folder.path}`;
    const expected = 'none, as the model returns one vector per text';
    throw unexpected('ERR_MODEL_MISMATCH', name, expected, options.pooling);
  }
  const pooling = options.pooling ?? preset?.pooling ?? folder.pooling;
  if (pooling) return { kind: 'pool', pooling };
  // RoBERTa, DistilBERT, ModernBERT … : all are called something with bert.
  if (folder.modelType?.includes('bert')) return { kind: 'pool', pooling: 'cls' };
  // A wrong guess would give vectors that look right and retrieve nothing.
  const expected = `one of ${POOLINGS.join(', ')}, as ${folder.path} does not say`;
  throw unexpected('ERR_INVALID_ARGUMENT', 'pooling', expected, options.pooling);
}

/**
 * Runs the model once, on the largest id the tokenizer knows and in two lengths: that reaches the
 * end of the embedding table, and shows that batches and padding are taken.
 */
async function probeDimension(
  session: SessionThread,
  tokenizer: TextTokenizer,
  folder: ModelFolder,
  head: Head,
): Promise<number> {
  const id = tokenizer.largestId;
  const batch = padBatch(
    [{ ids: Int32Array.of(id) }, { ids: Int32Array.of(id, id) }],
    tokenizer.padId,
    tokenizer.paddingSide,
  );
  const { dims } = await session.run(batch, head);
  const dim = dims.at(-1)!;
  const shape = session.facts.outputRank === 2 ? [2] : [2, 2];
  const expected = [...shape, folder.hiddenSize ?? dim].join(' × ');
  if (dims.join(' × ') !== expected) {
    throw new SkillspanError(
      'ERR_MODEL_MISMATCH',
      `${folder.onnxFile}: expected an output of ${expected} (config.json's hidden_size last), ` +
        `got ${dims.join(' × ')}`,
    );
  }
  return dim;
}

function chooseDim(
  wanted: number | undefined,
  full: number,
  preset: EncoderPreset | undefined,
): number {
  if (wanted === undefined) return full;
  const [least, most] = preset ? (preset.matryoshka ?? [full, full]) : [1, full];
  if (Number.isInteger(wanted) && wanted >= least && wanted <= most) return wanted;
  throw unexpected('ERR_OUT_OF_RANGE', 'dim', `${least} to ${most} for this model`, wanted);
}
