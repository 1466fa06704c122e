import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultModelFolder, readModelFolder } from '../../lib/models/model-folder.ts';
import { type TinyModel, temporaryFolder, tinyModel } from './tiny-model.ts';

const POOLING = '1_Pooling/config.json';
const PROMPTS = 'config_sentence_transformers.json';

describe('a complete folder', () => {
  it('states what its files state', async () => {
    const folder = await tinyModel({ tokenizerConfig: { model_max_length: 12 } });
    expect(await readModelFolder(folder)).toMatchObject({
      path: folder,
      onnxFile: path.join(folder, 'model.onnx'),
      weightFiles: [path.join(folder, 'model.onnx')],
      tokenizerFiles: ['tokenizer.json', 'tokenizer_config.json'].map((f) => path.join(folder, f)),
      hiddenSize: 3,
      vocabSize: 7,
      modelType: 'bert',
      maxTokens: 12,
      pooling: undefined,
      queryPrompt: '',
      documentPrompt: '',
    });
  });

  it('does without tokenizer_config.json and without limits', async () => {
    const files = { 'tokenizer_config.json': undefined, 'config.json': '{}' };
    expect(await readModelFolder(await tinyModel({ files }))).toMatchObject({
      tokenizerConfig: {},
      hiddenSize: undefined,
      vocabSize: undefined,
      maxTokens: Infinity,
    });
  });

  it('prefers onnx/model.onnx and finds the weights beside it', async () => {
    const files = { 'onnx/model.onnx': 'x', 'onnx/model.onnx_data': 'y', 'onnx/other.onnx': 'z' };
    const folder = await tinyModel({ files });
    const { onnxFile, weightFiles } = await readModelFolder(folder);
    expect(onnxFile).toBe(path.join(folder, 'onnx', 'model.onnx'));
    expect(weightFiles).toEqual([onnxFile, `${onnxFile}_data`]);
  });

  it.each([
    ['cls_token', 'cls'],
    ['mean_tokens', 'mean'],
    ['lasttoken', 'last'],
  ])('reads sentence-transformers pooling %s', async (mode, pooling) => {
    const config = { pooling_mode_max_tokens: false, [`pooling_mode_${mode}`]: true };
    const folder = await tinyModel({ files: { [POOLING]: JSON.stringify(config) } });
    expect(await readModelFolder(folder)).toMatchObject({ pooling });
  });

  it('reads sentence-transformers prompts', async () => {
    const prompts = { query: 'query: ', passage: 'passage: ' };
    const folder = await tinyModel({ files: { [PROMPTS]: JSON.stringify({ prompts }) } });
    const expected = { queryPrompt: 'query: ', documentPrompt: 'passage: ' };
    expect(await readModelFolder(folder)).toMatchObject(expected);
  });
});

describe('a folder that will not do', () => {
  it('is not there', async () => {
    const missing = path.join(await temporaryFolder(), 'missing');
    await expect(readModelFolder(missing)).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringContaining(missing),
    });
  });

  const modes = (...names: string[]) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [`pooling_mode_${name}`, true])));

  it.each<[problem: string, files: NonNullable<TinyModel['files']>, code: string, message: RegExp]>(
    [
      ['no model', { 'model.onnx': undefined }, 'NOT_FOUND', /onnx\/model\.onnx or model\.onnx/],
      ['an empty model', { 'model.onnx': '' }, 'INVALID', /model\.onnx: .*0 bytes/],
      ['no tokenizer', { 'tokenizer.json': undefined }, 'NOT_FOUND', /tokenizer\.json: .*ENOENT/],
      [
        'half a tokenizer',
        { 'tokenizer.json': '{"model": {"ty' },
        'INVALID',
        /tokenizer\.json: .*14/,
      ],
      ['an empty tokenizer', { 'tokenizer.json': '' }, 'INVALID', /tokenizer\.json: .*empty/],
      ['a list for a tokenizer', { 'tokenizer.json': '[]' }, 'INVALID', /a JSON object/],
      ['no config', { 'config.json': undefined }, 'NOT_FOUND', /config\.json: /],
      [
        'a Git LFS pointer for a config',
        { 'config.json': 'version https://git-lfs.github.com/spec/v1' },
        'INVALID',
        /config\.json: .*git-lfs/,
      ],
      [
        'a size that is none',
        { 'config.json': '{"hidden_size": 1.5}' },
        'INVALID',
        /hidden_size: .*1\.5/,
      ],
      ['unknown pooling', { [POOLING]: modes('max_tokens') }, 'INVALID', /max_tokens/],
      ['no pooling', { [POOLING]: '{}' }, 'INVALID', /exactly one/],
      ['two poolings', { [POOLING]: modes('cls_token', 'mean_tokens') }, 'INVALID', /exactly one/],
      [
        'pooling without the prompt',
        { [POOLING]: '{"pooling_mode_mean_tokens": true, "include_prompt": false}' },
        'INVALID',
        /prompt/,
      ],
      [
        'a prompt that is no text',
        { [PROMPTS]: '{"prompts": {"query": 7}}' },
        'INVALID',
        /prompts\.query/,
      ],
    ],
  )('has %s', async (_problem, files, code, message) => {
    const folder = await tinyModel({ files });
    await expect(readModelFolder(folder)).rejects.toMatchObject({
      name: 'SkillspanError',
      code: `ERR_MODEL_${code}`,
      message: expect.stringMatching(message),
    });
  });
});

describe('the default model', () => {
  it('is bge-small from its npm package', async () => {
    const folder = await readModelFolder(await defaultModelFolder());
    expect(folder).toMatchObject({ hiddenSize: 384, vocabSize: 30522, maxTokens: 512 });
    expect(JSON.parse(await readFile(path.join(folder.path, 'config.json'), 'utf8'))).toMatchObject(
      {
        _name_or_path: 'BAAI/bge-small-en-v1.5',
      },
    );
  });
});
