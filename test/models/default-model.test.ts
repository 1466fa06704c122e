import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import type { createRequire as NodeRequire } from 'node:module';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { defaultModelFolder } from '../../lib/models/model-folder.ts';
import { temporaryFolder } from './tiny-model.ts';

const PACKAGE = '@coree-ai/coree-model-bge-small-en-v1.5';

// As if the model were installed neither beside this package nor in a folder above: only the
// node_modules of the very folder that is asked from counts.
vi.mock(import('node:module'), async (original) => {
  const createRequire = (from: string) => ({
    resolve(specifier: string) {
      const file = path.join(path.dirname(from), 'node_modules', specifier);
      if (!existsSync(file)) throw new Error(`Cannot find module '${specifier}'`);
      return file;
    },
  });
  return { ...(await original()), createRequire: createRequire as unknown as typeof NodeRequire };
});

it('finds the model where the command is run', async () => {
  const cwd = await temporaryFolder();
  const root = path.join(cwd, 'node_modules', PACKAGE);
  const refs = path.join(root, 'model', 'models--bge', 'refs');
  await mkdir(refs, { recursive: true });
  await writeFile(path.join(root, 'package.json'), '{}');
  await writeFile(path.join(refs, 'main'), 'abc123\n');
  const expected = path.join(root, 'model', 'models--bge', 'snapshots', 'abc123');
  expect(await defaultModelFolder(cwd)).toBe(expected);
});

it('says how to install the model where it finds none', async () => {
  await expect(defaultModelFolder(await temporaryFolder())).rejects.toMatchObject({
    code: 'ERR_MODEL_NOT_FOUND',
    message: expect.stringContaining(`run: npm install ${PACKAGE}`),
  });
});
