import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { SkillspanError, unexpected } from '../errors.ts';
import type { Pooling } from './pooling.ts';
import type { Dtype } from './presets.ts';

/** The npm package that carries the default embedding model, bge-small-en-v1.5 (384-d, MIT). */
const DEFAULT_PACKAGE = '@coree-ai/coree-model-bge-small-en-v1.5';

/** A Hugging Face style model folder: every file it needs is there and parses. */
export interface ModelFolder {
  readonly path: string;
  /** The ONNX graph. */
  readonly onnxFile: string;
  /** Number type of its weights, by its file's name. */
  readonly dtype: Dtype;
  /** The graph and its external weight files: all that decides the model's arithmetic. */
  readonly weightFiles: readonly string[];
  /** `tokenizer.json` and, where present, `tokenizer_config.json`. */
  readonly tokenizerFiles: readonly string[];
  readonly tokenizer: JsonObject;
  readonly tokenizerConfig: JsonObject;
  /** From `config.json`; a field it does not state is undefined and cannot be checked. */
  readonly hiddenSize: number | undefined;
  readonly vocabSize: number | undefined;
  readonly modelType: string | undefined;
  /** Names of a classifier's logits, in order; undefined where there are none. */
  readonly labels: readonly string[] | undefined;
  /** The longest input the model accepts, special tokens included; Infinity if no file says. */
  readonly maxTokens: number;
  /** From sentence-transformers' `1_Pooling/config.json`. */
  readonly pooling: Pooling | undefined;
  /** From sentence-transformers' `config_sentence_transformers.json`; '' where it states none. */
  readonly queryPrompt: string;
  readonly documentPrompt: string;
}

export type JsonObject = { readonly [key: string]: unknown };

/**
 * Reads and checks a model folder, without opening the model itself.
 *
 * Layout: `onnx/model.onnx` or `model.onnx`, or one of the other {@link ONNX_FILES} (with external
 * data beside it, if any), `tokenizer.json`, `config.json`; optionally `tokenizer_config.json` and the two
 * sentence-transformers files named in {@link ModelFolder}.
 *
 * @throws SkillspanError ERR_MODEL_NOT_FOUND for a missing folder or file, ERR_MODEL_INVALID for
 * one that is empty, truncated or not what its name says. The message names the file.
 * @param dtypes number types that will do, in order of preference.
 */
export async function readModelFolder(
  folder: string,
  dtypes: readonly Dtype[] = ['fp32'],
): Promise<ModelFolder> {
  if (!(await statOrUndefined(folder))?.isDirectory()) {
    throw unexpected('ERR_MODEL_NOT_FOUND', 'model path', 'an existing model folder', folder);
  }
  const inFolder = (...parts: string[]) => path.join(folder, ...parts);
  const { onnxFile, dtype } = await findOnnxFile(folder, dtypes);
  const tokenizerFile = inFolder('tokenizer.json');
  const tokenizerConfigFile = inFolder('tokenizer_config.json');
  const configFile = inFolder('config.json');
  const poolingFile = inFolder('1_Pooling', 'config.json');
  const promptsFile = inFolder('config_sentence_transformers.json');

  const tokenizer = await readJson(tokenizerFile);
  const tokenizerConfig = await readOptionalJson(tokenizerConfigFile);
  const config = await readJson(configFile);
  const poolingConfig = await readOptionalJson(poolingFile);
  const promptsConfig = (await readOptionalJson(promptsFile)) ?? {};

  return {
    path: folder,
    onnxFile,
    dtype,
    weightFiles: [onnxFile, ...(await findExternalData(onnxFile))],
    tokenizerFiles: tokenizerConfig ? [tokenizerFile, tokenizerConfigFile] : [tokenizerFile],
    tokenizer,
    tokenizerConfig: tokenizerConfig ?? {},
    hiddenSize: positiveInteger(config, 'hidden_size', configFile),
    vocabSize: positiveInteger(config, 'vocab_size', configFile),
    modelType: typeof config.model_type === 'string' ? config.model_type : undefined,
    labels: readLabels(config, configFile),
    maxTokens: Math.min(
      positiveInteger(config, 'max_position_embeddings', configFile) ?? Infinity,
      // "No limit" is written as 1e30 here, so this one is read as any number.
      typeof tokenizerConfig?.model_max_length === 'number'
        ? tokenizerConfig.model_max_length
        : Infinity,
    ),
    pooling: poolingConfig && readPooling(poolingConfig, poolingFile),
    queryPrompt: readPrompt(promptsConfig, ['query'], promptsFile),
    // The names sentence-transformers' encode_document tries, in its order.
    documentPrompt: readPrompt(promptsConfig, ['document', 'passage', 'corpus'], promptsFile),
  };
}

/**
 * The folder of the default model, taken from its npm package, which users install if they want
 * it. Looked up from this package first, then from the working directory: a globally installed
 * command line does not see its user's node_modules otherwise.
 *
 * @throws SkillspanError ERR_MODEL_NOT_FOUND, with the command that installs it.
 */
export async function defaultModelFolder(cwd = process.cwd()): Promise<string> {
  for (const from of [import.meta.url, path.join(cwd, 'noop.js')]) {
    const manifest = resolveOrUndefined(from, `${DEFAULT_PACKAGE}/package.json`);
    if (manifest) return findSnapshot(path.join(path.dirname(manifest), 'model'));
  }
  throw new SkillspanError(
    'ERR_MODEL_NOT_FOUND',
    `embedding model: expected a model path or the package ${DEFAULT_PACKAGE}, got neither; ` +
      `run: npm install ${DEFAULT_PACKAGE}`,
  );
}

function resolveOrUndefined(from: string, specifier: string): string | undefined {
  try {
    return createRequire(from).resolve(specifier);
  } catch {
    return undefined;
  }
}

/** The package holds a Hugging Face cache: `models--*\/refs/main` names the snapshot to use. */
async function findSnapshot(cache: string): Promise<string> {
  const repository = (await readdir(cache)).find((name) => name.startsWith('models--'));
  if (!repository) {
    throw unexpected('ERR_MODEL_INVALID', cache, 'a models--* folder', 'none');
  }
  const revision = await readNonEmpty(path.join(cache, repository, 'refs', 'main'));
  return path.join(cache, repository, 'snapshots', revision.trim());
}

/** Names of a model's file by number type, in the model's folder or in `onnx/`. */
export const ONNX_FILES: Readonly<Record<Dtype, readonly string[]>> = {
  fp32: ['model.onnx'],
  fp16: ['model_fp16.onnx'],
  int8: ['model_quantized.onnx', 'model_int8.onnx'],
  q4: ['model_q4.onnx'],
};

async function findOnnxFile(
  folder: string,
  dtypes: readonly Dtype[],
): Promise<{ onnxFile: string; dtype: Dtype }> {
  const names = dtypes.flatMap((dtype) => ONNX_FILES[dtype].map((name) => ({ dtype, name })));
  for (const { dtype, name } of names) {
    for (const onnxFile of [path.join(folder, 'onnx', name), path.join(folder, name)]) {
      const found = await statOrUndefined(onnxFile);
      if (!found) continue;
      if (!found.isFile() || found.size === 0) {
        throw unexpected('ERR_MODEL_INVALID', onnxFile, 'an ONNX model', `${found.size} bytes`);
      }
      return { onnxFile, dtype };
    }
  }
  const wanted = names.map(({ name }) => `onnx/${name} or ${name}`).join(', ');
  throw unexpected('ERR_MODEL_NOT_FOUND', folder, wanted, 'none of them');
}

/** Models over protobuf's 2 GB keep their weights in `model.onnx_data`, `model.onnx.data_1` … */
async function findExternalData(onnxFile: string): Promise<string[]> {
  const folder = path.dirname(onnxFile);
  const prefix = path.basename(onnxFile);
  const names = await readdir(folder);
  return names
    .filter((name) => name.startsWith(prefix) && /^[._]data/.test(name.slice(prefix.length)))
    .sort()
    .map((name) => path.join(folder, name));
}

function readPooling(config: JsonObject, file: string): Pooling {
  const modes: Record<string, Pooling> = {
    pooling_mode_cls_token: 'cls',
    pooling_mode_mean_tokens: 'mean',
    pooling_mode_lasttoken: 'last',
  };
  const chosen = Object.keys(config).filter(
    (key) => key.startsWith('pooling_mode_') && config[key] === true,
  );
  const pooling = modes[chosen[0] ?? ''];
  if (!pooling || chosen.length > 1) {
    const expected = `exactly one of ${Object.keys(modes).join(', ')}`;
    throw unexpected('ERR_MODEL_INVALID', file, expected, chosen.join(', ') || 'none');
  }
  if (config.include_prompt === false) {
    throw unexpected('ERR_MODEL_INVALID', file, 'pooling that includes the prompt', false);
  }
  return pooling;
}

function readPrompt(config: JsonObject, names: readonly string[], file: string): string {
  const prompts = (config.prompts ?? {}) as JsonObject;
  const name = names.find((candidate) => prompts[candidate] !== undefined);
  if (name === undefined) return '';
  const prompt = prompts[name];
  if (typeof prompt !== 'string') {
    throw unexpected('ERR_MODEL_INVALID', `${file} prompts.${name}`, 'a string', prompt);
  }
  return prompt;
}

function positiveInteger(config: JsonObject, key: string, file: string): number | undefined {
  const value = config[key];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
    throw unexpected('ERR_MODEL_INVALID', `${file} ${key}`, 'a positive integer', value);
  }
  return value;
}

/** `id2label` is an object with numbers for keys. */
function readLabels(config: JsonObject, file: string): readonly string[] | undefined {
  const labels = config.id2label;
  if (labels === undefined) return undefined;
  const names = Object.entries((labels ?? {}) as JsonObject);
  const sound = names.every(
    ([key, name]) => Number(key) < names.length && typeof name === 'string',
  );
  if (!sound || names.length === 0) {
    throw unexpected('ERR_MODEL_INVALID', `${file} id2label`, 'a name for each class', labels);
  }
  return names.sort(([a], [b]) => Number(a) - Number(b)).map(([, name]) => name as string);
}

async function readOptionalJson(file: string): Promise<JsonObject | undefined> {
  return (await statOrUndefined(file)) ? readJson(file) : undefined;
}

async function readJson(file: string): Promise<JsonObject> {
  const text = await readNonEmpty(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    // The start of the text tells a Git LFS pointer or an HTML error page from a short download.
    const actual = `${text.length} characters that do not parse: ${text.slice(0, 40)}`;
    throw unexpected('ERR_MODEL_INVALID', file, 'complete JSON', actual, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unexpected('ERR_MODEL_INVALID', file, 'a JSON object', value);
  }
  return value as JsonObject;
}

async function readNonEmpty(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code;
    throw unexpected('ERR_MODEL_NOT_FOUND', file, 'a readable file', reason, { cause });
  }
  if (text === '') throw unexpected('ERR_MODEL_INVALID', file, 'content', 'an empty file');
  return text;
}

async function statOrUndefined(file: string) {
  return stat(file).catch(() => undefined);
}
