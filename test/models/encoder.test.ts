import { copyFile, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { OnnxEncoder } from '../../lib/models/encoder.ts';
import { defaultModelFolder, readModelFolder } from '../../lib/models/model-folder.ts';
import { TextTokenizer } from '../../lib/models/tokenizer.ts';
import { temporaryFolder } from './tiny-model.ts';

// The default model, bge-small-en-v1.5, as its users get it.
const encoder = await OnnxEncoder.open();
afterAll(() => encoder.dispose());

const QUERY = { kind: 'query' } as const;
const DOCUMENT = { kind: 'document' } as const;
const TEXTS = [
  'extract the text of a PDF file',
  'Reads PDF documents and returns their contents as plain text.',
  'Bakes sourdough bread at home.',
  '',
  '🎉 emoji and 日本語のテキスト',
  'Sends a message to a Slack channel, with attachments, threads and mentions of its members.',
];

function rows(flat: Float32Array): Float32Array[] {
  const { dim } = encoder;
  return Array.from({ length: flat.length / dim }, (_, i) => flat.slice(i * dim, (i + 1) * dim));
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, component, d) => sum + component * b[d]!, 0);
}

function expectSame(actual: Float32Array, expected: Float32Array): void {
  expect(1 - dot(actual, expected)).toBeLessThan(1e-6);
}

describe('vectors', () => {
  it('have 384 components and unit length', async () => {
    const vectors = rows(await encoder.encode(TEXTS, QUERY));
    expect(encoder.dim).toBe(384);
    expect(vectors).toHaveLength(TEXTS.length);
    for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 6);
  });

  it('are nearer for texts of nearer meaning', async () => {
    const [request, pdf, bread] = rows(await encoder.encode(TEXTS.slice(0, 3), QUERY));
    expect(dot(request!, pdf!)).toBeGreaterThan(dot(request!, bread!) + 0.2);
  });

  it('come in the order of the texts, whatever their lengths', async () => {
    const forward = rows(await encoder.encode(TEXTS, QUERY));
    const backward = rows(await encoder.encode([...TEXTS].reverse(), QUERY)).reverse();
    forward.forEach((vector, i) => {
      expectSame(vector, backward[i]!);
    });
  });

  it('do not depend on the other texts of a batch', async () => {
    const together = rows(await encoder.encode(TEXTS, QUERY));
    for (const [i, text] of TEXTS.entries()) {
      expectSame(await encoder.encode([text], QUERY), together[i]!);
    }
  });

  it('are the same for calls that overlap', async () => {
    const alone = await encoder.encode(TEXTS, QUERY);
    const overlapping = await Promise.all([
      encoder.encode(TEXTS, QUERY),
      encoder.encode(TEXTS, DOCUMENT),
    ]);
    for (const vectors of overlapping) expect(vectors).toEqual(alone);
  });

  it('are one for texts that are one', async () => {
    const calls: number[][] = [];
    const [pdf, bread] = [TEXTS[1]!, TEXTS[2]!];
    const vectors = rows(
      await encoder.encode([pdf, bread, pdf, pdf], {
        ...QUERY,
        onProgress: (...call) => calls.push(call),
      }),
    );
    expect(vectors[2]).toEqual(vectors[0]);
    expect(vectors[3]).toEqual(vectors[0]);
    expect(dot(vectors[0]!, vectors[1]!)).toBeLessThan(0.8);
    expect(calls).toEqual([[4, 4]]);
  });

  it('are none for no texts', async () => {
    expect(await encoder.encode([], QUERY)).toEqual(new Float32Array(0));
  });
});

describe('long texts', () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, i) => `word${i % 7}`).join(' ');

  it('are cut: what follows the last token changes nothing', async () => {
    const long = words(1000);
    const half = await encoder.encode([long, `${long} and ${TEXTS[2]}`], DOCUMENT);
    const [cut, longer] = rows(half);
    expect(longer).toEqual(cut);
  });

  it('are cut later as queries than as documents', async () => {
    const text = `${words(140)} ${TEXTS[2]}`;
    const asDocument = await encoder.encode([text], DOCUMENT);
    expectSame(await encoder.encode([words(140)], DOCUMENT), asDocument);
    expect(dot(await encoder.encode([text], QUERY), asDocument)).toBeLessThan(0.999);
  });

  it('of half a megabyte are like their beginning', async () => {
    const [whole, beginning] = rows(await encoder.encode([words(80_000), words(2000)], DOCUMENT));
    expectSame(whole!, beginning!);
  });
});

describe('progress and cancelling', () => {
  // Each fills a run of its own.
  const long = ['alpha ', 'beta ', 'gamma '].map((word) => word.repeat(300));

  it('reports after each run', async () => {
    const calls: number[][] = [];
    await encoder.encode(long, { ...DOCUMENT, onProgress: (...call) => calls.push(call) });
    expect(calls).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ]);
  });

  it('stops between runs, with the reason of the signal', async () => {
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    let done = 0;
    const pending = encoder.encode(long, {
      ...DOCUMENT,
      signal: controller.signal,
      onProgress: (count) => {
        done = count;
        controller.abort(reason);
      },
    });
    await expect(pending).rejects.toBe(reason);
    expect(done).toBe(1);
  });

  it('does not start when aborted already', async () => {
    const reason = new Error('too late');
    const signal = AbortSignal.abort(reason);
    await expect(encoder.encode(TEXTS, { ...QUERY, signal })).rejects.toBe(reason);
  });

  it('stops while many texts are still being tokenised', async () => {
    const tokenise = vi.spyOn(TextTokenizer.prototype, 'encode');
    onTestFinished(() => tokenise.mockRestore());
    const texts = Array.from({ length: 200 }, (_, i) => `text ${i}`);
    const controller = new AbortController();
    const pending = encoder.encode(texts, { ...QUERY, signal: controller.signal });
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
    expect(tokenise.mock.calls.length).toBeLessThan(20);
  });
});

describe('bad calls', () => {
  it.each([
    ['texts[1]', ['a', 7], 'query'],
    ['texts[0]', [undefined], 'query'],
    ['texts', 'a', 'query'],
    ['kind', ['a'], 'passage'],
    ['kind', ['a'], 'toString'],
  ])('names %s', async (name, texts, kind) => {
    const call = encoder.encode(texts as string[], { kind: kind as 'query' });
    await expect(call).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining(`${name}: expected`),
    });
  });
});

describe('dispose', () => {
  it('lets the run in flight end, and ends everything else', async () => {
    const own = await OnnxEncoder.open({ threads: 1 });
    const long = ['alpha ', 'beta '].map((word) => word.repeat(300));
    const finished = own.encode(['short'], QUERY);
    const cut = own.encode(long, DOCUMENT);
    await new Promise((resolve) => process.nextTick(resolve)); // both have asked for a run
    const disposed = own.dispose();
    expect(own.dispose()).toBe(disposed);

    const [first, second] = await Promise.allSettled([finished, cut]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { length: 384 } });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'ERR_DISPOSED' } });
    await disposed;
    await expect(own.encode(['a'], QUERY)).rejects.toMatchObject({ code: 'ERR_DISPOSED' });
  });
});

describe('a damaged copy', () => {
  /** The model's folder again, so that a file of it can be spoiled; the model is cut to `bytes`. */
  async function copyOfModel(bytes: number): Promise<string> {
    const { path: from, onnxFile } = await readModelFolder(await defaultModelFolder());
    const folder = await temporaryFolder();
    for (const name of ['tokenizer.json', 'tokenizer_config.json', 'config.json']) {
      await copyFile(path.join(from, name), path.join(folder, name));
    }
    await mkdir(path.join(folder, 'onnx'));
    const source = await open(onnxFile);
    const { buffer } = await source.read(Buffer.alloc(bytes), 0, bytes, 0);
    await source.close();
    await writeFile(path.join(folder, 'onnx', 'model.onnx'), buffer);
    return folder;
  }

  it.each([100, 1_000_000, 60_000_000])('of %d bytes of the model', async (bytes) => {
    const folder = await copyOfModel(bytes);
    await expect(OnnxEncoder.open({ model: folder })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringMatching(/onnx.model\.onnx: expected a complete ONNX model/),
    });
  });

  it('of half the tokenizer', async () => {
    const folder = await copyOfModel(100);
    const file = path.join(folder, 'tokenizer.json');
    await writeFile(file, (await readFile(file)).subarray(0, 300_000));
    await expect(OnnxEncoder.open({ model: folder })).rejects.toMatchObject({
      code: 'ERR_MODEL_INVALID',
      message: expect.stringContaining(`${file}: expected complete JSON`),
    });
  });
});
