import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EmbeddingCache } from '../../lib/registry/embedding-cache.ts';
import { temporaryFolder } from './helpers.ts';

const fingerprint = 'a1b2c3d4e5f60718-bge-small-cls';
const options = { fingerprint, dim: 3 };
const fileIn = (folder: string) => join(folder, 'embeddings-a1b2c3d4e5f60718.bin');

const vectors = {
  'pdf | Fills in forms. | ': Float32Array.of(0.25, -1, 3e-38),
  'web | 网页 | ': Float32Array.of(1, 2, 3),
};

async function savedCache(folder = temporaryFolder()): Promise<string> {
  const cache = await EmbeddingCache.open(folder, options);
  for (const [text, vector] of Object.entries(vectors)) cache.set(text, vector);
  await cache.save();
  return folder;
}

describe('a cache', () => {
  it('begins empty, in a folder that need not exist', async () => {
    const folder = join(temporaryFolder(), 'not/yet');
    const cache = await EmbeddingCache.open(folder, options);
    expect([cache.size, cache.problem, cache.get('pdf')]).toEqual([0, undefined, undefined]);
    await savedCache(folder);
    expect(readdirSync(folder)).toEqual(['embeddings-a1b2c3d4e5f60718.bin']);
  });

  it('gives back what was saved', async () => {
    const cache = await EmbeddingCache.open(await savedCache(), options);
    expect([cache.size, cache.problem]).toEqual([2, undefined]);
    for (const [text, vector] of Object.entries(vectors)) expect(cache.get(text)).toEqual(vector);
    expect(cache.get('another text')).toBeUndefined();
  });

  it('gives back any vectors of any texts', async () => {
    const entry = fc.tuple(
      fc.string({ unit: 'binary' }),
      fc.float32Array({ minLength: 5, maxLength: 5, noNaN: true, noDefaultInfinity: true }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry), async (entries) => {
        const folder = temporaryFolder();
        const written = await EmbeddingCache.open(folder, { fingerprint, dim: 5 });
        for (const [text, vector] of entries) written.set(text, vector);
        await written.save();
        const read = await EmbeddingCache.open(folder, { fingerprint, dim: 5 });
        expect(read.size).toBe(written.size);
        for (const [text] of entries) expect(read.get(text)).toEqual(written.get(text));
      }),
      { numRuns: 30 },
    );
  });

  it('drops what is not kept', async () => {
    const folder = await savedCache();
    const cache = await EmbeddingCache.open(folder, options);
    await cache.save(['web | 网页 | ', 'never seen']);
    expect(cache.size).toBe(1);
    const reopened = await EmbeddingCache.open(folder, options);
    expect(reopened.size).toBe(1);
    expect(reopened.get('web | 网页 | ')).toEqual(Float32Array.of(1, 2, 3));
  });

  it('is not written where nothing changed', async () => {
    const folder = await savedCache();
    utimesSync(fileIn(folder), 1000, 1000);
    await (await EmbeddingCache.open(folder, options)).save(Object.keys(vectors));
    expect(statSync(fileIn(folder)).mtimeMs).toBe(1_000_000);
  });

  it('shares no memory with its callers', async () => {
    const cache = await EmbeddingCache.open(temporaryFolder(), options);
    const given = Float32Array.of(1, 2, 3);
    cache.set('pdf', given);
    given.fill(9);
    cache.get('pdf')?.fill(9);
    expect(cache.get('pdf')).toEqual(Float32Array.of(1, 2, 3));
  });

  it('reads a vector that is part of a larger array', async () => {
    const cache = await EmbeddingCache.open(temporaryFolder(), options);
    cache.set('pdf', Float32Array.of(9, 1, 2, 3, 9).subarray(1, 4));
    expect(cache.get('pdf')).toEqual(Float32Array.of(1, 2, 3));
  });

  it('rejects vectors that cannot be right', async () => {
    const cache = await EmbeddingCache.open(temporaryFolder(), options);
    expect(() => cache.set('pdf', Float32Array.of(1, 2))).toThrowError(
      expect.objectContaining({
        code: 'ERR_DIMENSION',
        message: 'vector: expected 3 numbers, got 2',
      }),
    );
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => cache.set('pdf', Float32Array.of(1, bad, 2))).toThrowError(
        expect.objectContaining({ code: 'ERR_NOT_FINITE' }),
      );
    }
    expect(cache.size).toBe(0);
  });

  it.each([
    ['../../etc/passwd-long-enough', 3, 'ERR_INVALID_ARGUMENT'],
    ['short', 3, 'ERR_INVALID_ARGUMENT'],
    [fingerprint, 0, 'ERR_OUT_OF_RANGE'],
    [fingerprint, 1.5, 'ERR_OUT_OF_RANGE'],
  ])('rejects fingerprint %j with dimension %d', async (fingerprint, dim, code) => {
    const opening = EmbeddingCache.open(temporaryFolder(), { fingerprint, dim });
    await expect(opening).rejects.toMatchObject({ code });
  });
});

describe('its writers', () => {
  it('may be several at once; the file is always that of one of them', async () => {
    const folder = temporaryFolder();
    const caches = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => {
        const cache = await EmbeddingCache.open(folder, options);
        cache.set('shared', Float32Array.of(index, index, index));
        return cache;
      }),
    );
    await Promise.all(caches.map((cache) => cache.save()));
    expect(readdirSync(folder)).toEqual(['embeddings-a1b2c3d4e5f60718.bin']);
    const [first, ...rest] = (await EmbeddingCache.open(folder, options)).get('shared') ?? [];
    expect(rest).toEqual([first, first]);
  });

  it('may set more while they save', async () => {
    const folder = temporaryFolder();
    const cache = await EmbeddingCache.open(folder, options);
    cache.set('early', Float32Array.of(1, 1, 1));
    const saving = cache.save();
    cache.set('late', Float32Array.of(2, 2, 2));
    await saving;
    expect((await EmbeddingCache.open(folder, options)).size).toBe(1);
    await cache.save();
    expect((await EmbeddingCache.open(folder, options)).size).toBe(2);
  });

  it('leave nothing behind when they fail, and may try again', async () => {
    const folder = temporaryFolder();
    mkdirSync(fileIn(folder));
    writeFileSync(join(fileIn(folder), 'in the way'), '');
    const cache = await EmbeddingCache.open(folder, options);
    cache.set('pdf', Float32Array.of(1, 2, 3));
    await expect(cache.save()).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['embeddings-a1b2c3d4e5f60718.bin']);
    await expect(cache.save()).rejects.toThrow();
  });
});

describe('a file', () => {
  it('has the documented layout, little-endian', async () => {
    const bytes = readFileSync(fileIn(await savedCache()));
    const end = 24 + fingerprint.length;
    const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest();
    expect(bytes.toString('latin1', 0, 8)).toBe('SKSPEMB\n');
    expect([8, 12, 16, 20].map((at) => bytes.readUInt32LE(at))).toEqual([
      1,
      3,
      2,
      fingerprint.length,
    ]);
    expect(bytes.toString('latin1', 24, end)).toBe(fingerprint);
    expect(bytes.subarray(end, end + 32)).toEqual(sha256('pdf | Fills in forms. | '));
    expect([0, 1, 2].map((index) => bytes.readFloatLE(end + 64 + 12 + index * 4))).toEqual([
      1, 2, 3,
    ]);
    expect(bytes.subarray(-32)).toEqual(sha256(bytes.subarray(0, -32)));
    expect(bytes).toHaveLength(end + 64 + 24 + 32);
  });

  /** Opens a cache over these bytes, which must be refused, and says why it was. */
  async function problemOf(bytes: Uint8Array, wanted = options): Promise<string | undefined> {
    const folder = temporaryFolder();
    writeFileSync(fileIn(folder), bytes);
    const cache = await EmbeddingCache.open(folder, wanted);
    expect(cache.size).toBe(0);
    return cache.problem;
  }

  it('with any byte changed is refused', async () => {
    const sound = readFileSync(fileIn(await savedCache()));
    const at = fc.nat(sound.length - 1);
    await fc.assert(
      fc.asyncProperty(at, fc.integer({ min: 1, max: 255 }), async (index, difference) => {
        const bytes = Buffer.from(sound);
        bytes[index]! ^= difference;
        expect(await problemOf(bytes)).toEqual(expect.any(String));
      }),
      { numRuns: 300 },
    );
  });

  it('cut short anywhere, or grown, is refused', async () => {
    const sound = readFileSync(fileIn(await savedCache()));
    for (let length = 0; length < sound.length; length += 1) {
      expect(await problemOf(sound.subarray(0, length))).toEqual(expect.any(String));
    }
    expect(await problemOf(Buffer.concat([sound, sound]))).toMatch(/size: expected/);
  });

  it('of something else, another encoder or another dimension is refused by name', async () => {
    const sound = readFileSync(fileIn(await savedCache()));
    expect(await problemOf(Buffer.alloc(200, 'x'))).toMatch(/not an embedding cache$/);
    expect(await problemOf(sound, { fingerprint: 'a1b2c3d4e5f60718-other', dim: 3 })).toMatch(
      /written by another encoder, a1b2c3d4e5f60718-bge-small-cls$/,
    );
    expect(await problemOf(sound, { fingerprint, dim: 4 })).toMatch(
      /dimension: expected 4, got 3$/,
    );
  });

  it('that cannot be opened is a problem, not an error', async () => {
    const folder = temporaryFolder();
    mkdirSync(fileIn(folder));
    expect((await EmbeddingCache.open(folder, options)).problem).toMatch(/EISDIR/);
  });

  it('that was refused is replaced by the next save, even of nothing', async () => {
    const folder = await savedCache();
    writeFileSync(fileIn(folder), 'garbage');
    await (await EmbeddingCache.open(folder, options)).save();
    const cache = await EmbeddingCache.open(folder, options);
    expect([cache.size, cache.problem]).toEqual([0, undefined]);
  });
});
