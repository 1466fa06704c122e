import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type TinyGraph, tinyOnnx } from './tiny-onnx.ts';

/** A word-level vocabulary; a word's id is its row in the model's table. */
export const WORDS = { '[PAD]': 0, '[UNK]': 1, '[CLS]': 2, '[SEP]': 3, red: 4, green: 5, blue: 6 };

/** Rows in the order of {@link WORDS}: red, green and blue are an axis each. */
export const TABLE = [
  [9, 9, 9],
  [1, 1, 1],
  [0, 0, 2],
  [0, 3, 0],
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
];

export interface TinyModel {
  readonly graph?: Partial<TinyGraph>;
  /** Wraps texts in [CLS] and [SEP]. Default: true. */
  readonly specials?: boolean;
  readonly tokenizerConfig?: object;
  readonly config?: object;
  /** Further files by path in the folder; undefined leaves one of the usual files out. */
  readonly files?: Readonly<Record<string, string | Uint8Array | undefined>>;
}

/** Writes a model folder that is removed after the test. */
export async function tinyModel(model: TinyModel = {}): Promise<string> {
  const folder = await temporaryFolder();
  const files = {
    'model.onnx': tinyOnnx({ table: TABLE, ...model.graph }),
    'tokenizer.json': JSON.stringify(tinyTokenizer(model.specials ?? true)),
    'tokenizer_config.json': JSON.stringify({
      pad_token: '[PAD]',
      unk_token: '[UNK]',
      ...model.tokenizerConfig,
    }),
    'config.json': JSON.stringify({
      model_type: 'bert',
      hidden_size: 3,
      vocab_size: 7,
      max_position_embeddings: 16,
      ...model.config,
    }),
    ...model.files,
  };
  for (const [name, content] of Object.entries(files)) {
    if (content === undefined) continue;
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  return folder;
}

/** A folder of a reranker whose logit is the number of tokens. */
export function tinyReranker(): Promise<string> {
  const table = Array.from({ length: TABLE.length }, () => [1]);
  const graph = { table, sum: 'all', output: 'logits' } as const;
  return tinyModel({ graph, config: { hidden_size: 1 } });
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'skillspan-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

export function tinyTokenizer(specials = true, vocab: Record<string, number> = WORDS) {
  const special = (token: string) => ({ SpecialToken: { id: token, type_id: 0 } });
  const entry = (token: string) => ({ id: token, ids: [vocab[token]], tokens: [token] });
  return {
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: 'Whitespace' },
    post_processor: specials
      ? {
          type: 'TemplateProcessing',
          single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
          pair: [
            special('[CLS]'),
            { Sequence: { id: 'A', type_id: 0 } },
            special('[SEP]'),
            { Sequence: { id: 'B', type_id: 1 } },
            { SpecialToken: { id: '[SEP]', type_id: 1 } },
          ],
          special_tokens: { '[CLS]': entry('[CLS]'), '[SEP]': entry('[SEP]') },
        }
      : null,
    decoder: null,
    model: { type: 'WordLevel', vocab, unk_token: '[UNK]' },
  };
}
