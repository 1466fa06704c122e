import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LexicalIndex, VectorIndex } from '../lib/index.ts';
import { runModule } from './support/fresh-process.ts';
import { seeded } from './support/vectors.ts';

const random = seeded(71);
const word = () => `wörd${Math.floor(2_000 * random() ** 3)}`;
const document = () => new Map(Array.from({ length: 30 }, () => [word(), 1 + random()] as const));
const queries = Array.from({ length: 20 }, () => Array.from({ length: 6 }, word));

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillspan-words-'));
  path = join(folder, 'words.skillspan');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function filled(options = {}): Promise<LexicalIndex> {
  const index = new LexicalIndex(options);
  for (let first = 0; first < 3_000; first += 1_000) {
    await index.add(Array.from({ length: 1_000 }, (_, i) => [first + i, document()] as const));
  }
  await index.remove([5, 1_500, 2_999]);
  return index;
}

describe('a file of words', () => {
  it.each([
    ['bm25', { k1: 0.9, b: 0.4 }],
    ['tf-idf', { model: 'tf-idf' as const }],
  ])('comes back as it was saved, with its weighing: %s', async (_, options) => {
    const index = await filled(options);
    await index.save(path);
    const opened = await LexicalIndex.open(path);
    expect(opened.size).toBe(2_997);
    expect(opened.searchSync(queries, 25)).toEqual(index.searchSync(queries, 25));
    expect(opened.scoresForSync(queries[0]!, [0, 5, 9])).toEqual(
      index.scoresForSync(queries[0]!, [0, 5, 9]),
    );
  });

  it('can be changed and saved again while it is open', async () => {
    const index = await filled();
    await index.save(path);
    const opened = await LexicalIndex.open(path);
    const added = [
      [
        5,
        new Map([
          ['wörd0', 2],
          ['brand new', 1],
        ]),
      ],
      [7, document()],
    ] as const;
    for (const one of [index, opened]) {
      await one.add(added);
      await one.remove([8, 9]);
    }
    expect(opened.searchSync(queries, 25)).toEqual(index.searchSync(queries, 25));
    expect([...opened.searchSync([['brand new']], 3)[0]!.ids]).toEqual([5]);
    await opened.save(path);
    const again = await LexicalIndex.open(path);
    expect(again.searchSync(queries, 25)).toEqual(index.searchSync(queries, 25));
    expect(opened.searchSync(queries, 25)).toEqual(index.searchSync(queries, 25));
  });

  it('may be empty', async () => {
    await new LexicalIndex().save(path);
    const opened = await LexicalIndex.open(path);
    expect(opened.size).toBe(0);
    expect(opened.addSync([[1, new Map([['a', 1]])]])).toBe(1);
  });

  it('is refused when it is of vectors, cut short, damaged, or not there', async () => {
    const corrupt = { code: 'ERR_CORRUPT_INDEX', message: expect.stringContaining(path) };
    await VectorIndex.empty({ dim: 3 }).save(path);
    await expect(LexicalIndex.open(path)).rejects.toMatchObject(corrupt);
    await (await filled()).save(path);
    await expect(VectorIndex.open(path)).rejects.toMatchObject(corrupt);
    const bytes = readFileSync(path);
    for (const at of [0, 30, 70, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 16;
      rmSync(path);
      writeFileSync(path, damaged);
      await expect(LexicalIndex.open(path)).rejects.toMatchObject(corrupt);
    }
    rmSync(path);
    writeFileSync(path, bytes.subarray(0, 500));
    await expect(LexicalIndex.open(path)).rejects.toMatchObject(corrupt);
    rmSync(path);
    await expect(LexicalIndex.open(path)).rejects.toMatchObject({ code: 'ERR_FILE' });
  });

  it('holds no term that UTF-8 cannot', async () => {
    const index = new LexicalIndex();
    index.addSync([[1, new Map([['\ud800', 1]])]]);
    await expect(index.save(path)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining('terms: expected Unicode without lone surrogates'),
    });
  });

  it('needs the native addon, and says so', () => {
    const { stdout } = runModule(
      `import { LexicalIndex } from 'skillspan';
       for (const attempt of [() => new LexicalIndex().save('x'), () => LexicalIndex.open('x')])
         await attempt().catch(({ code, message }) => console.log(code, message));`,
      { SKILLSPAN_NATIVE: '0' },
    );
    const line =
      'ERR_NATIVE_LOAD x: expected the native addon, got the TypeScript baseline, which has no index files\n';
    expect(stdout).toBe(line.repeat(2));
  });
});
