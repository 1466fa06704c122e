import { describe, expect, it } from 'vitest';
import {
  chooseProvider,
  type Device,
  fallback,
  preferredDtypes,
  type Surroundings,
  surroundings,
} from '../../lib/models/devices.ts';
import { OnnxEncoder } from '../../lib/models/encoder.ts';
import { temporaryFolder, tinyModel } from './tiny-model.ts';

const linux: Surroundings = { platform: 'linux', arch: 'x64', cudaLibrary: false, nvidia: false };
const withGpu = { ...linux, nvidia: true };
const withLibrary = { ...withGpu, cudaLibrary: true };

describe('auto', () => {
  it('is CUDA where card and library are', () => {
    expect(chooseProvider('auto', withLibrary)).toEqual({ provider: 'cuda', note: undefined });
  });

  it('is the CPU where the library is missing, and says what is', () => {
    expect(chooseProvider('auto', withGpu)).toEqual({
      provider: 'cpu',
      note: expect.stringMatching(/^models run on the CPU: .*missing; run `node .*install`/),
    });
  });

  it.each([
    ['without a card', linux],
    ['with a library and no card', { ...linux, cudaLibrary: true }],
    ['on a Mac', { ...linux, platform: 'darwin', arch: 'arm64' }],
    ['on a platform nobody knows', { ...linux, platform: 'aix', nvidia: true }],
  ])('is the CPU %s, without a word', (_, here) => {
    expect(chooseProvider('auto', here)).toEqual({ provider: 'cpu', note: undefined });
  });

  it('falls back to the CPU where CUDA does not start, and says why', () => {
    const failed = new Error('libcublasLt.so.12: cannot open\nmore');
    const chosen = chooseProvider('auto', withLibrary);
    expect(fallback('auto', chosen, failed)).toEqual({
      provider: 'cpu',
      note: 'models run on the CPU: cuda does not start: libcublasLt.so.12: cannot open',
    });
    expect(() => fallback('cuda', chosen, failed)).toThrow(failed);
    expect(() => fallback('auto', { provider: 'cpu', note: undefined }, failed)).toThrow(failed);
  });
});

describe('a device asked for by name', () => {
  it.each<[Device, Surroundings]>([
    ['cpu', linux],
    ['cuda', withLibrary],
    ['webgpu', linux],
    ['coreml', { ...linux, platform: 'darwin' }],
    ['dml', { ...linux, platform: 'win32' }],
  ])('%s is taken', (device, here) => {
    expect(chooseProvider(device, here)).toEqual({ provider: device, note: undefined });
  });

  it.each<[Device, Surroundings, RegExp]>([
    ['cuda', withGpu, /CUDA provider library.*none; run `node/],
    ['coreml', linux, /expected one of auto, cpu, cuda, webgpu on linux-x64, got "coreml"/],
    ['dml', { ...linux, platform: 'darwin' }, /auto, cpu, coreml, webgpu on darwin-x64/],
    ['cuda', { ...linux, arch: 'arm64' }, /auto, cpu on linux-arm64/],
  ])('%s that is not there is an error', (device, here, message) => {
    expect(() => chooseProvider(device, here)).toThrow(
      expect.objectContaining({ code: 'ERR_DEVICE', message: expect.stringMatching(message) }),
    );
  });

  it('has to be one', () => {
    expect(() => chooseProvider('tpu' as Device, linux)).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
    );
  });
});

it('prefers half precision on a card, and full precision on the CPU', () => {
  expect(preferredDtypes('cuda')[0]).toBe('fp16');
  expect(preferredDtypes('cpu')[0]).toBe('fp32');
});

it('knows this machine', () => {
  expect(surroundings()).toMatchObject({ platform: process.platform, arch: process.arch });
});

describe('number types', () => {
  const graph = { output: 'sentence_embedding', pooled: true };

  it('are taken from the names of files, the preferred first', async () => {
    const folder = await tinyModel({ graph });
    const { readModelFolder } = await import('../../lib/models/model-folder.ts');
    expect(await readModelFolder(folder, ['int8', 'fp32'])).toMatchObject({ dtype: 'fp32' });
    await expect(readModelFolder(folder, ['q4', 'int8'])).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringMatching(/onnx\/model_q4\.onnx.*model_int8\.onnx/),
    });
  });

  it('may be asked for', async () => {
    const folder = await tinyModel({ graph });
    await expect(OnnxEncoder.open({ model: folder, dtype: 'fp16' })).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringContaining('model_fp16.onnx'),
    });
  });
});

it('says what a model may be, where it is nothing', async () => {
  const nowhere = `${await temporaryFolder()}/a/b/c`;
  await expect(OnnxEncoder.open({ model: nowhere })).rejects.toMatchObject({
    code: 'ERR_MODEL_NOT_FOUND',
    message: expect.stringMatching(/repository of the hub \(org\/name\) or one of sr-emb/),
  });
});
