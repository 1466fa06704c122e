import { unexpected } from '../errors.ts';
import type { Pooling } from './pooling.ts';
import type { SkillCaps, TextForm } from './text-form.ts';

/** Number types of the weights, as hub repositories name their files. */
export type Dtype = 'fp32' | 'fp16' | 'int8' | 'q4';

interface Common {
  /** The repository on the hub that holds the model's ONNX files, or the weights to export them from. */
  readonly hub: string;
  /** Number types of which the hub repository has an ONNX file. None: it has to be exported first. */
  readonly files: readonly Dtype[];
  /** Longest sequence the model was made for. */
  readonly tokens: number;
  /** The side on which batches are padded, where the tokenizer's own files may not say. */
  readonly padding: 'left' | 'right';
  /** What is used of a skill's parts. */
  readonly caps?: SkillCaps;
}

/** Turns texts into vectors. */
export interface EncoderPreset extends Common {
  readonly kind: 'encoder';
  readonly pooling: Pooling;
  readonly dim: number;
  /** Lengths to which vectors may be cut (Matryoshka). None: only their own. */
  readonly matryoshka?: readonly [least: number, most: number];
  /** A token after every text, added where the tokenizer does not. */
  readonly endToken?: string;
  readonly query: TextForm;
  readonly document: TextForm;
}

/** A language model asked whether a document serves a request: h = logit(yes) − logit(no), last position. */
export interface JudgePreset extends Common {
  readonly kind: 'judge';
  /** Never cut; the request and the document stand between them. */
  readonly prefix: string;
  readonly suffix: string;
  readonly instruction: string;
  readonly yes: string;
  readonly no: string;
  /** Code points of the request. */
  readonly request?: number;
}

/** A sequence classifier of pairs of texts: h is its one logit, or the difference of its two. */
export interface ClassifierPreset extends Common {
  readonly kind: 'classifier';
  readonly request?: number;
}

export type RerankerPreset = JudgePreset | ClassifierPreset;

export type Preset = EncoderPreset | RerankerPreset;

const PLAIN: TextForm = { prefix: '' };

/** Qwen3's own task; its documents are bare. */
const RETRIEVE =
  'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:';

const QWEN = {
  padding: 'left',
  pooling: 'last',
  endToken: '<|endoftext|>',
  kind: 'encoder',
} as const;
const BERT = {
  padding: 'right',
  kind: 'encoder',
  query: PLAIN,
  document: PLAIN,
  files: ['fp32', 'fp16', 'int8'],
} as const;
const BGE = { ...BERT, pooling: 'cls', tokens: 512 } as const;
const E5 = {
  ...BERT,
  pooling: 'mean',
  tokens: 512,
  query: { prefix: 'query: ' },
  document: { prefix: 'passage: ' },
} as const;
const GTE = { ...BERT, pooling: 'mean', tokens: 512 } as const;

/** What the judges were trained on; a request, then a document, follow the instruction. */
const JUDGE = {
  kind: 'judge',
  padding: 'left',
  prefix:
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the ' +
    'Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n',
  suffix: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
  yes: 'yes',
  no: 'no',
} as const;

/**
 * The models of the papers and those that many use, by name. The BGE models' query instruction is left
 * out: it did not help on our sets.
 */
export const PRESETS: Readonly<Record<string, Preset>> = {
  'sr-emb-0.6b': {
    ...QWEN,
    hub: 'pipizao/SkillRouter-Embedding-0.6B',
    files: [],
    tokens: 4_096,
    dim: 1_024,
    matryoshka: [32, 1_024],
    query: {
      prefix:
        'Instruct: Given a coding task description, retrieve the most relevant skill document that would ' +
        'help an agent complete the task\nQuery:',
      codePoints: 2_000,
    },
    document: PLAIN,
    caps: { description: 500, body: 8_000 },
  },
  'qwen3-embedding-0.6b': {
    ...QWEN,
    hub: 'onnx-community/Qwen3-Embedding-0.6B-ONNX',
    files: ['fp32', 'fp16', 'int8', 'q4'],
    tokens: 32_768,
    dim: 1_024,
    matryoshka: [32, 1_024],
    query: { prefix: RETRIEVE },
    document: PLAIN,
  },
  'qwen3-embedding-8b': {
    ...QWEN,
    hub: 'Qwen/Qwen3-Embedding-8B',
    files: [],
    tokens: 32_768,
    dim: 4_096,
    matryoshka: [32, 4_096],
    query: { prefix: RETRIEVE },
    document: PLAIN,
  },
  'bge-m3': { ...BERT, hub: 'Xenova/bge-m3', pooling: 'cls', tokens: 8_192, dim: 1_024 },
  'bge-small-en-v1.5': { ...BGE, hub: 'Xenova/bge-small-en-v1.5', dim: 384 },
  'bge-base-en-v1.5': { ...BGE, hub: 'Xenova/bge-base-en-v1.5', dim: 768 },
  'bge-large-en-v1.5': { ...BGE, hub: 'Xenova/bge-large-en-v1.5', dim: 1_024 },
  'all-minilm-l6-v2': {
    ...BERT,
    hub: 'Xenova/all-MiniLM-L6-v2',
    pooling: 'mean',
    tokens: 256,
    dim: 384,
  },
  'e5-small-v2': { ...E5, hub: 'Xenova/e5-small-v2', dim: 384 },
  'e5-base-v2': { ...E5, hub: 'Xenova/e5-base-v2', dim: 768 },
  'e5-large-v2': { ...E5, hub: 'Xenova/e5-large-v2', dim: 1_024 },
  'multilingual-e5-small': { ...E5, hub: 'Xenova/multilingual-e5-small', dim: 384 },
  'multilingual-e5-base': { ...E5, hub: 'Xenova/multilingual-e5-base', dim: 768 },
  'multilingual-e5-large': { ...E5, hub: 'Xenova/multilingual-e5-large', dim: 1_024 },
  'gte-small': { ...GTE, hub: 'Xenova/gte-small', dim: 384 },
  'gte-base': { ...GTE, hub: 'Xenova/gte-base', dim: 768 },
  'gte-large': { ...GTE, hub: 'Xenova/gte-large', dim: 1_024 },
  'sr-rank-0.6b': {
    ...JUDGE,
    hub: 'pipizao/SkillRouter-Reranker-0.6B',
    files: [],
    tokens: 4_096,
    instruction:
      'Given a coding task description, judge whether the skill document is relevant and useful for ' +
      'completing the task',
    request: 2_000,
    caps: { description: 500, body: 2_000 },
  },
  'qwen3-reranker-0.6b': {
    ...JUDGE,
    hub: 'onnx-community/Qwen3-Reranker-0.6B-ONNX',
    files: ['int8', 'q4'],
    tokens: 8_192,
    instruction: 'Given a web search query, retrieve relevant passages that answer the query',
  },
  'bge-reranker-v2-m3': {
    kind: 'classifier',
    hub: 'onnx-community/bge-reranker-v2-m3-ONNX',
    files: ['fp32', 'fp16', 'int8'],
    padding: 'right',
    tokens: 8_192,
  },
  'ms-marco-minilm-l-6-v2': {
    kind: 'classifier',
    hub: 'Xenova/ms-marco-MiniLM-L-6-v2',
    files: ['fp32', 'fp16', 'int8'],
    padding: 'right',
    tokens: 512,
  },
};

/** A preset by its name, or by its hub repository; undefined for anything else. */
export function findPreset(name: string): Preset | undefined {
  const wanted = name.toLowerCase();
  if (Object.hasOwn(PRESETS, wanted)) return PRESETS[wanted];
  return Object.values(PRESETS).find(({ hub }) => hub.toLowerCase() === wanted);
}

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for a preset that there is not, or of the other kind. */
export function encoderPreset(name: string | undefined): EncoderPreset | undefined {
  const preset = known(name);
  if (preset === undefined || preset.kind === 'encoder') return preset;
  throw unexpected('ERR_INVALID_ARGUMENT', 'preset', 'that of an encoder', name);
}

/** @throws as {@link encoderPreset}. */
export function rerankerPreset(name: string | undefined): RerankerPreset | undefined {
  const preset = known(name);
  if (preset === undefined || preset.kind !== 'encoder') return preset;
  throw unexpected('ERR_INVALID_ARGUMENT', 'preset', 'that of a reranker', name);
}

function known(name: string | undefined): Preset | undefined {
  if (name === undefined) return undefined;
  const preset = findPreset(name);
  if (preset) return preset;
  const expected = `one of ${Object.keys(PRESETS).join(', ')}`;
  throw unexpected('ERR_INVALID_ARGUMENT', 'preset', expected, name);
}
