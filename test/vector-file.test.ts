import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VectorIndex } from '../lib/index.ts';
import { runModule } from './support/fresh-process.ts';
import { clustered, randomUnit, row, seeded } from './support/vectors.ts';

const dim = 48;
const random = seeded(51);
const values = clustered(25_000, dim, random, { centres: 300 });
const queries = clustered(30, dim, random, { centres: 300 });

let folder: string;
let path: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillspan-vectors-'));
  path = join(folder, 'vectors.skillspan');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an index file', () => {
  it('comes back as it was saved, and can be changed and saved again', async () => {
    const index = VectorIndex.from(values, { dim });
    await index.save(path, { encoder: 'bge-small 1' });
    const opened = await VectorIndex.open(path, { encoder: 'bge-small 1', checkRows: true });
    expect([opened.size, opened.dim]).toEqual([25_000, dim]);
    expect(opened.searchSync(queries, 40)).toEqual(index.searchSync(queries, 40));
    expect(opened.routeSync(queries, { k: 9 })).toEqual(index.routeSync(queries, { k: 9 }));

    for (const one of [index, opened]) {
      await one.remove([3, 77, 24_999]);
      await one.add([30_000], row(queries, 0, dim));
    }
    await opened.save(path);
    const again = await VectorIndex.open(path);
    expect(again.size).toBe(24_998);
    expect(again.searchSync(queries, 40)).toEqual(index.searchSync(queries, 40));
    expect(readdirSync(folder)).toEqual(['vectors.skillspan']);
  });

  it('keeps how sure its answers are, also for what is added later', async () => {
    const index = VectorIndex.from(values, { dim, exactness: 'probable' });
    await index.save(path);
    const opened = await VectorIndex.open(path);
    expect(opened.exactness).toBe('probable');
    expect(opened.searchSync(queries, 40)).toEqual(index.searchSync(queries, 40));
    await opened.remove(Array.from({ length: 10_000 }, (_, id) => id));
    await opened.add([30_000], row(queries, 0, dim));
    await opened.save(path);
    const again = await VectorIndex.open(path);
    expect([again.size, again.exactness]).toEqual([15_001, 'probable']);
    expect(again.searchSync(queries, 40)).toEqual(opened.searchSync(queries, 40));
  });

  it('may be empty', async () => {
    await VectorIndex.empty({ dim: 7 }).save(path);
    const opened = await VectorIndex.open(path);
    expect([opened.size, opened.dim]).toEqual([0, 7]);
    expect(await opened.add([1], randomUnit(1, 7, random))).toBe(1);
  });

  it('says when it was made with another encoder', async () => {
    await VectorIndex.from(values, { dim }).save(path, { encoder: 'a' });
    await expect(VectorIndex.open(path, { encoder: 'b' })).rejects.toMatchObject({
      code: 'ERR_MODEL_MISMATCH',
      message: `${path}: expected vectors of b, got "a"`,
    });
  });

  it('says what the system refused', async () => {
    const missing = join(folder, 'none', 'file');
    const refused = { code: 'ERR_FILE', message: expect.stringContaining(missing) };
    await expect(VectorIndex.open(missing)).rejects.toMatchObject(refused);
    const index = VectorIndex.from(values, { dim });
    await expect(index.save(missing)).rejects.toMatchObject(refused);
    await expect(VectorIndex.open(folder)).rejects.toMatchObject({ code: 'ERR_FILE' });
  });

  it('is refused when it is no such file, cut short, or damaged', async () => {
    const corrupt = (expected: string) => ({
      code: 'ERR_CORRUPT_INDEX',
      message: `${path}: expected ${expected}, got a damaged or foreign file`,
    });
    writeFileSync(path, 'x'.repeat(200));
    await expect(VectorIndex.open(path)).rejects.toMatchObject(corrupt('a Skillspan index file'));
    await VectorIndex.from(values, { dim }).save(path);
    const bytes = readFileSync(path);
    truncateSync(path, bytes.length - 1);
    await expect(VectorIndex.open(path)).rejects.toMatchObject(
      corrupt('a file as long as it was written'),
    );
    bytes[bytes.length - 1]! ^= 1;
    rmSync(path);
    writeFileSync(path, bytes);
    await expect(VectorIndex.open(path)).rejects.toMatchObject(
      corrupt('contents that match their checksums'),
    );
    bytes[bytes.length - 1]! ^= 1;
    bytes[70]! ^= 1;
    rmSync(path);
    writeFileSync(path, bytes);
    await expect(VectorIndex.open(path)).rejects.toMatchObject(
      corrupt('a header that matches its checksum'),
    );
  });

  it('needs the native addon, and says so', () => {
    const { stdout } = runModule(
      `import { VectorIndex } from 'skillspan';
       const index = VectorIndex.empty({ dim: 3 });
       for (const attempt of [() => index.save('x'), () => VectorIndex.open('x')])
         await attempt().catch(({ code, message }) => console.log(code, message));`,
      { SKILLSPAN_NATIVE: '0' },
    );
    const line =
      'ERR_NATIVE_LOAD x: expected the native addon, got the TypeScript baseline, which has no index files\n';
    expect(stdout).toBe(line.repeat(2));
  });

  it('refuses a path that is no text', async () => {
    // @ts-expect-error no string
    await expect(VectorIndex.open(7)).rejects.toMatchObject({ code: 'ERR_INVALID_ARGUMENT' });
  });
});
