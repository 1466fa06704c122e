import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { loadOnnxRuntime } from '../../lib/models/onnx-runtime.ts';
import { temporaryFolder } from './tiny-model.ts';

it('loads onnxruntime-node', async () => {
  expect(await loadOnnxRuntime()).toHaveProperty('InferenceSession');
});

it('says how to install it where it is missing', async () => {
  await expect(loadOnnxRuntime('onnxruntime-nonesuch')).rejects.toMatchObject({
    code: 'ERR_MODEL_NOT_FOUND',
    message: expect.stringContaining('run: npm install onnxruntime-nonesuch'),
  });
});

it('passes on why an installed one does not load', async () => {
  const folder = path.join(await temporaryFolder(), 'broken');
  await mkdir(folder);
  const file = path.join(folder, 'index.mjs');
  await writeFile(file, 'throw new Error("libonnxruntime.so.1: wrong ELF class")');
  await expect(loadOnnxRuntime(pathToFileURL(file).href)).rejects.toMatchObject({
    code: 'ERR_NATIVE_LOAD',
    message: expect.stringContaining('wrong ELF class'),
  });
});
