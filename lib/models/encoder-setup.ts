import { SkillspanError, unexpected } from '../errors.ts';
import { padBatch } from './batches.ts';
import { fingerprint } from './fingerprint.ts';
import { defaultModelFolder, type ModelFolder, readModelFolder } from './model-folder.ts';
import { POOLINGS, type Pooling } from './pooling.ts';
import { TokenSession } from './session.ts';
import { TextTokenizer } from './tokenizer.ts';

const DEFAULT_QUERY_TOKENS = 512;
const DEFAULT_DOCUMENT_TOKENS = 256;

export type TextKind = 'query' | 'document';

export interface OnnxEncoderOptions {
  /** A Hugging Face style folder. Default: the package of bge-small-en-v1.5, if installed. */
  readonly path?: string;
  /** Default: what the folder says, else 'cls' for BERT and its kin. Others have to say. */
  readonly pooling?: Pooling;
  /** Put before every query. Default: what the folder says, else nothing. */
  readonly queryPrompt?: string;
  /** Put before every document. Default: what the folder says, else nothing. */
  readonly documentPrompt?: string;
  /** Where queries are cut, in tokens, prompt and special tokens included. Default: 512. */
  readonly queryTokens?: number;
  /** Where documents are cut. Default: 256. Both defaults shrink to what the model takes. */
  readonly documentTokens?: number;
  /** Threads per model run. Default: one per core, four at most. */
  readonly threads?: number;
  /** Version of the text view the caller encodes; part of the fingerprint. */
  readonly textView?: string;
}

/** How one kind of text is prepared. */
export interface TextRule {
  readonly prompt: string;
  /** Longest sequence, prompt and special tokens included. */
  readonly tokens: number;
}

/** An open model, with all that was worked out about it. */
export interface EncoderSetup {
  readonly session: TokenSession;
  readonly tokenizer: TextTokenizer;
  readonly rules: Readonly<Record<TextKind, TextRule>>;
  /** Undefined where the graph pools by itself. */
  readonly pooling: Pooling | undefined;
  readonly dim: number;
  readonly fingerprint: string;
}

/** Opens a model and proves that its parts fit. Errors: see OnnxEncoder.open. */
export async function setUp(options: OnnxEncoderOptions): Promise<EncoderSetup> {
  checkOptions(options);
  const folder = await readModelFolder(options.path ?? (await defaultModelFolder()));
  const tokenizer = new TextTokenizer(folder);
  checkVocabulary(tokenizer, folder);
  const rules = {
    query: {
      prompt: options.queryPrompt ?? folder.queryPrompt,
      tokens: tokenLimit('queryTokens', options, DEFAULT_QUERY_TOKENS, folder, tokenizer),
    },
    document: {
      prompt: options.documentPrompt ?? folder.documentPrompt,
      tokens: tokenLimit('documentTokens', options, DEFAULT_DOCUMENT_TOKENS, folder, tokenizer),
    },
  };
  const session = await TokenSession.open(folder.onnxFile, options.threads);
  try {
    const pooling = choosePooling(options, folder, session);
    const dim = await probeDimension(session, tokenizer, folder);
    const hash = await fingerprint([...folder.weightFiles, ...folder.tokenizerFiles], {
      pooling: pooling ?? 'in the graph',
      queryPrompt: rules.query.prompt,
      queryTokens: rules.query.tokens,
      documentPrompt: rules.document.prompt,
      documentTokens: rules.document.tokens,
      dtype: 'float32',
      textView: options.textView ?? '',
    });
    return { session, tokenizer, rules, pooling, dim, fingerprint: hash };
  } catch (error) {
    await session.release();
    throw error;
  }
}

function checkOptions(options: OnnxEncoderOptions): void {
  for (const name of ['path', 'queryPrompt', 'documentPrompt', 'textView'] as const) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'string') {
      throw unexpected('ERR_INVALID_ARGUMENT', name, 'a string', value);
    }
  }
  if (options.pooling !== undefined && !POOLINGS.includes(options.pooling)) {
    const expected = `one of ${POOLINGS.join(', ')}`;
    throw unexpected('ERR_INVALID_ARGUMENT', 'pooling', expected, options.pooling);
  }
  const { threads } = options;
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1)) {
    throw unexpected('ERR_OUT_OF_RANGE', 'threads', 'an integer of at least 1', threads);
  }
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

function tokenLimit(
  name: 'queryTokens' | 'documentTokens',
  options: OnnxEncoderOptions,
  standard: number,
  folder: ModelFolder,
  tokenizer: TextTokenizer,
): number {
  const most = folder.maxTokens;
  const least = tokenizer.specialTokenCount + 1;
  const limit = options[name] ?? Math.min(standard, most);
  if (!Number.isInteger(limit) || limit < least || limit > most) {
    const room = most === Infinity ? `an integer of at least ${least}` : `${least} to ${most}`;
    throw unexpected('ERR_OUT_OF_RANGE', name, `${room} for this model`, limit);
  }
  return limit;
}

function choosePooling(
  options: OnnxEncoderOptions,
  folder: ModelFolder,
  session: TokenSession,
): Pooling | undefined {
  if (session.outputRank === 2) {
    if (options.pooling === undefined) return undefined;
    const name = `pooling of ${folder.path}`;
    const expected = 'none, as the model returns one vector per text';
    throw unexpected('ERR_MODEL_MISMATCH', name, expected, options.pooling);
  }
  const pooling = options.pooling ?? folder.pooling;
  if (pooling) return pooling;
  // RoBERTa, DistilBERT, ModernBERT … : all are called something with bert.
  if (folder.modelType?.includes('bert')) return 'cls';
  // A wrong guess would give vectors that look right and retrieve nothing.
  const expected = `one of ${POOLINGS.join(', ')}, as ${folder.path} does not say`;
  throw unexpected('ERR_INVALID_ARGUMENT', 'pooling', expected, options.pooling);
}

/**
 * Runs the model once, on the largest id the tokenizer knows and in two lengths: that reaches the
 * end of the embedding table, and shows that batches and padding are taken.
 */
async function probeDimension(
  session: TokenSession,
  tokenizer: TextTokenizer,
  folder: ModelFolder,
): Promise<number> {
  const id = tokenizer.largestId;
  const batch = padBatch(
    [Int32Array.of(id), Int32Array.of(id, id)],
    tokenizer.padId,
    tokenizer.paddingSide,
  );
  const { dims } = await session.run(batch);
  const dim = dims.at(-1)!;
  const shape = session.outputRank === 2 ? [2] : [2, 2];
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
