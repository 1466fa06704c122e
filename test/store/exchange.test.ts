import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { SkillRouter } from '../../lib/index.ts';
import { decodeNpy, encodeNpy } from '../../lib/registry/npy.ts';
import { exportStore, importStore } from '../../lib/registry/store/exchange.ts';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const request = 'extract text from pdf files and send an email';
let folder: string;
let files: { skills: string; vectors: string };
let original: SkillRouter;

beforeEach(async () => {
  folder = await temporaryFolder();
  const root = join(folder, 'reg');
  await writeTree(root, {
    'pdf/SKILL.md': skillText('pdf', 'extract text from pdf files\ntags: [a, b]', 'Body “here”.\n'),
    'mail/SKILL.md': skillText('mail', 'send an email'),
    'sheet/SKILL.md': skillText('sheet', 'build a table\nrequires: mail'),
  });
  files = { skills: join(folder, 'skills.jsonl'), vectors: join(folder, 'vectors.npy') };
  original = await SkillRouter.open({ registry: root, encoder: new WordEncoder() });
  const store = SkillStore.open(join(root, '.skillspan'));
  expect(await exportStore(store, files)).toEqual({ skills: 3, dim: 64 });
  store.close();
});

async function take(dir: string, more: { fingerprint?: string } = {}) {
  const store = SkillStore.open(join(folder, dir));
  try {
    return await importStore(store, { ...files, ...more });
  } finally {
    store.close();
  }
}

async function changeVectors(change: (values: Float32Array) => unknown): Promise<void> {
  const matrix = decodeNpy(await readFile(files.vectors), files.vectors);
  change(matrix.values);
  await writeFile(files.vectors, encodeNpy(matrix));
}

describe('skills exported and imported', () => {
  it('are routed over as where they came from, and nothing is embedded', async () => {
    expect(await take('copy')).toMatchObject({ added: 3, changed: 0, unchanged: 0 });
    const encoder = new WordEncoder();
    const copy = await SkillRouter.open({ cacheDir: join(folder, 'copy'), encoder });
    expect(encoder.encoded).toEqual([]);
    expect(copy.report).toMatchObject({ skills: 3, embedded: 0, cached: 3, files: undefined });
    const answer = async (router: SkillRouter) => (await router.route(request, { k: 3 })).skills;
    expect(await answer(copy)).toEqual(await answer(original));
    expect(copy.skill('reg/pdf')).toEqual(original.skill('reg/pdf'));
    await copy.dispose();
  });

  it('replace those of the same id, and leave the others', async () => {
    await take('copy');
    expect(await take('copy')).toMatchObject({ added: 0, changed: 0, unchanged: 3 });
    const lines = (await readFile(files.skills, 'utf8')).split('\n');
    const changed = lines.map((line) => line.replace('send an email', 'send a letter'));
    await writeFile(files.skills, changed.join('\n'));
    expect(await take('copy')).toMatchObject({ added: 0, changed: 1, unchanged: 2 });
    const options = { cacheDir: join(folder, 'copy'), encoder: new WordEncoder() };
    const copy = await SkillRouter.open(options);
    expect(copy.size).toBe(3);
    expect(copy.skill('reg/mail')).toMatchObject({ description: 'send a letter' });
    await copy.dispose();
  });

  it('need no first line where the fingerprint is given', async () => {
    const [, ...lines] = (await readFile(files.skills, 'utf8')).split('\n');
    await writeFile(files.skills, lines.join('\n'));
    await expect(take('copy')).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' });
    const { fingerprint } = new WordEncoder();
    expect(await take('copy', { fingerprint })).toMatchObject({ added: 3 });
  });

  it.each<[string, string, () => Promise<void>]>([
    [
      'a missing file',
      'ERR_FILE',
      async () => {
        files = { ...files, vectors: '/nowhere' };
      },
    ],
    [
      'a line too few',
      'ERR_DIMENSION',
      async () => {
        const lines = (await readFile(files.skills, 'utf8')).trim().split('\n');
        await writeFile(files.skills, lines.slice(0, -1).join('\n'));
      },
    ],
    [
      'a broken line',
      'ERR_INVALID_ARGUMENT',
      async () => {
        await writeFile(files.skills, `${await readFile(files.skills, 'utf8')}{"kind": "skill`);
      },
    ],
    [
      'an id twice',
      'ERR_INVALID_ARGUMENT',
      async () => {
        const text = await readFile(files.skills, 'utf8');
        await writeFile(files.skills, text.replace('"reg/pdf"', '"reg/mail"'));
      },
    ],
    [
      'another dimension',
      'ERR_DIMENSION',
      async () => {
        const text = await readFile(files.skills, 'utf8');
        await writeFile(files.skills, text.replace('"dim":64', '"dim":63'));
      },
    ],
    ['NaN', 'ERR_NOT_FINITE', () => changeVectors((values) => values.fill(Number.NaN, 70, 71))],
    [
      'a norm of 2',
      'ERR_OUT_OF_RANGE',
      () =>
        changeVectors((values) => {
          for (let i = 64; i < 128; i++) values[i] = values[i]! * 2;
        }),
    ],
  ])('are refused whole with %s', async (_, code, spoil) => {
    await spoil();
    await expect(take('copy')).rejects.toMatchObject({ code });
    const store = SkillStore.open(join(folder, 'copy'));
    expect(store.size).toBe(0);
    store.close();
  });

  it('are refused in a store of another encoder', async () => {
    await take('copy');
    const another = { fingerprint: 'another-encoder-altogether' };
    await expect(take('copy', another)).rejects.toMatchObject({ code: 'ERR_MODEL_MISMATCH' });
  });

  it('have norms mended that are nearly 1', async () => {
    await changeVectors((values) => {
      for (let i = 0; i < 64; i++) values[i] = values[i]! * 1.004;
    });
    expect(await take('copy')).toMatchObject({ added: 3 });
    const store = SkillStore.open(join(folder, 'copy'));
    const reader = store.reader();
    expect(Math.hypot(...reader.vectorsOf([0], store.encoder!))).toBeCloseTo(1, 6);
    reader.close();
    store.close();
  });
});
