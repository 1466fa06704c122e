import { lstat, mkdir, readdir, readFile, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { OnnxEncoder } from '../../lib/models/encoder.ts';
import { cachedRepositories, hubCacheDir } from '../../lib/models/hub-cache.ts';
import { download } from '../../lib/models/hub-download.ts';
import { checksum, type HubFile, hubServer } from './hub-server.ts';
import { temporaryFolder, tinyModel } from './tiny-model.ts';

vi.mock(import('node:fs/promises'), { spy: true });

const REPOSITORY = 'tiny/model';
let cache: string;

beforeEach(async () => {
  cache = await temporaryFolder();
  vi.stubEnv('HF_HUB_CACHE', cache);
  vi.stubEnv('HF_TOKEN', undefined);
  vi.stubEnv('HF_HUB_OFFLINE', undefined);
  return () => vi.unstubAllEnvs();
});

const blobs = () => path.join(cache, 'models--tiny--model', 'blobs');

/** The files of a model that works; its graph is large, in the hub's sense. */
async function modelFiles(changes: Partial<HubFile> = {}): Promise<Record<string, HubFile>> {
  const folder = await tinyModel({ graph: { output: 'sentence_embedding', pooled: true } });
  const read = (name: string) => readFile(path.join(folder, name));
  return {
    'README.md': { content: '# not needed' },
    'config.json': { content: await read('config.json') },
    'tokenizer.json': { content: await read('tokenizer.json') },
    'tokenizer_config.json': { content: await read('tokenizer_config.json') },
    'onnx/model.onnx': { content: await read('model.onnx'), large: true, ...changes },
    'onnx/model_fp16.onnx': { content: 'another number type', large: true },
  };
}

async function serve(files: Record<string, HubFile>, options: { token?: string } = {}) {
  const server = await hubServer(REPOSITORY, files, options);
  vi.stubEnv('HF_ENDPOINT', server.url);
  return server;
}

describe('a model of the hub', () => {
  it('is fetched once, into the standard layout, and works', async () => {
    const files = await modelFiles();
    const { requests, commit } = await serve(files);
    const steps: [string, number, number][] = [];
    const onDownload = (...step: [string, number, number]) => steps.push(step);
    const encoder = await OnnxEncoder.open({ model: REPOSITORY, onDownload });
    await encoder.dispose();
    expect(encoder.dim).toBe(3);

    const snapshot = path.join(cache, 'models--tiny--model', 'snapshots', commit);
    expect(await readFile(path.join(snapshot, '..', '..', 'refs', 'main'), 'utf8')).toBe(commit);
    expect((await readdir(snapshot)).sort()).toEqual([
      'config.json',
      'onnx',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    expect((await lstat(path.join(snapshot, 'onnx', 'model.onnx'))).isSymbolicLink()).toBe(true);
    expect(await readdir(path.join(snapshot, 'onnx'))).toEqual(['model.onnx']);
    expect(await readdir(blobs())).toContain(checksum(files['onnx/model.onnx']!));
    const size = files['onnx/model.onnx']!.content.length;
    expect(steps.at(-1)).toEqual(['onnx/model.onnx', size, size]);
    expect(await cachedRepositories()).toEqual([REPOSITORY]);

    const asked = requests.length;
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await (await OnnxEncoder.open({ model: REPOSITORY })).dispose();
    expect(requests.length).toBe(asked);
  });

  it('is gone on with where a connection broke', async () => {
    const files = await modelFiles({ breakAt: 100 });
    const { requests } = await serve(files);
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(/tiny\/model.*run it again to go on/),
    });
    const partial = `${path.join(blobs(), checksum(files['onnx/model.onnx']!))}.incomplete`;
    expect((await readFile(partial)).length).toBe(100);

    const first: number[] = [];
    await download(REPOSITORY, ['fp32'], {
      onDownload: (file, done) => file.endsWith('.onnx') && first.push(done),
    });
    const size = files['onnx/model.onnx']!.content.length;
    expect(requests.at(-1)?.range).toBe(`bytes=100-${size - 1}`);
    expect(first.at(-1)).toBe(size);
    expect(await readFile(path.join(blobs(), checksum(files['onnx/model.onnx']!)))).toEqual(
      Buffer.from(files['onnx/model.onnx']!.content),
    );
  });

  it.each([true, false])('is not kept under a wrong checksum (large: %s)', async (large) => {
    const listedAs = 'a'.repeat(large ? 64 : 40);
    await serve(await modelFiles({ large, listedAs }));
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(`onnx/model.onnx .*expected checksum ${listedAs}, got `),
    });
    expect((await readdir(blobs())).filter((name) => name.startsWith(listedAs))).toEqual([]);
  });

  it('starts anew on a partial file that is longer than the whole', async () => {
    const files = await modelFiles();
    await serve(files);
    await mkdir(blobs(), { recursive: true });
    const blob = path.join(blobs(), checksum(files['onnx/model.onnx']!));
    await writeFile(`${blob}.incomplete`, Buffer.alloc(100_000));
    await download(REPOSITORY, ['fp32']);
    expect(await readFile(blob)).toEqual(Buffer.from(files['onnx/model.onnx']!.content));
  });

  it('takes the next number type that there is, with its weights', async () => {
    const { commit } = await serve({
      ...(await modelFiles()),
      'onnx/model_fp16.onnx_data': { content: 'weights', large: true },
      'onnx/model_fp16.onnx_data/../../../escape': { content: 'no' },
    });
    expect(await download(REPOSITORY, ['q4', 'fp16'])).toMatch(commit);
    const fetched = path.join(cache, 'models--tiny--model', 'snapshots', commit, 'onnx');
    expect((await readdir(fetched)).sort()).toEqual(['model_fp16.onnx', 'model_fp16.onnx_data']);
  });

  it('needs the token of a private one', async () => {
    const { requests } = await serve(await modelFiles(), { token: 'secret' });
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(/status 401; set HF_TOKEN/),
    });
    vi.stubEnv('HF_TOKEN', 'hf_secret');
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
    });
    expect(requests.at(-1)?.authorization).toBe('Bearer hf_secret');
  });

  it('has to exist, and to have a graph', async () => {
    await serve(await modelFiles());
    await expect(download('tiny/nonesuch', ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringContaining('status 404'),
    });
    await expect(download(REPOSITORY, ['q4'])).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringMatching(/model_q4\.onnx.*only onnx\/model\.onnx.*optimum-cli/),
    });
  });

  it('is refused before it is fetched where the disk has no room', async () => {
    const files = await modelFiles();
    await serve(files);
    vi.mocked(statfs).mockResolvedValueOnce({ bavail: 0, bsize: 4096 } as never);
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(/expected room for 1 MiB \(or set HF_HUB_CACHE.*got 0 MiB/),
    });
  });

  // Whatever is written to this device fails as on a full disk.
  it.runIf(process.platform === 'linux')('says when the disk is full', async () => {
    const files = await modelFiles();
    await serve(files);
    await mkdir(blobs(), { recursive: true });
    const blob = path.join(blobs(), checksum(files['onnx/model.onnx']!));
    await symlink('/dev/full', `${blob}.incomplete`);
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(/no space left.*HF_HUB_CACHE/),
    });
    await rm(`${blob}.incomplete`);
  });

  it('is not looked for offline', async () => {
    const { requests } = await serve(await modelFiles());
    vi.stubEnv('HF_HUB_OFFLINE', '1');
    await expect(OnnxEncoder.open({ model: REPOSITORY })).rejects.toMatchObject({
      code: 'ERR_MODEL_NOT_FOUND',
      message: expect.stringMatching(/HF_HUB_OFFLINE/),
    });
    expect(requests).toEqual([]);
  });

  it('says when nobody answers', async () => {
    vi.stubEnv('HF_ENDPOINT', 'http://127.0.0.1:9');
    await expect(download(REPOSITORY, ['fp32'])).rejects.toMatchObject({
      code: 'ERR_MODEL_DOWNLOAD',
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:9/),
    });
  });

  it('stops with the reason of the signal', async () => {
    await serve(await modelFiles());
    const controller = new AbortController();
    const reason = new Error('enough');
    const pending = download(REPOSITORY, ['fp32'], {
      signal: controller.signal,
      onDownload: () => controller.abort(reason),
    });
    await expect(pending).rejects.toBe(reason);
  });
});

describe('the cache', () => {
  it.each([
    [{ HF_HUB_CACHE: '/a', HF_HOME: '/b' }, '/a'],
    [{ HUGGINGFACE_HUB_CACHE: '/c', HF_HOME: '/b' }, '/c'],
    [{ HF_HOME: '/b', XDG_CACHE_HOME: '/d' }, '/b/hub'],
    [{ XDG_CACHE_HOME: '/d' }, '/d/huggingface/hub'],
  ])('is where %o say', (env, expected) => {
    expect(hubCacheDir(env)).toBe(path.normalize(expected));
  });

  it('may not be there', async () => {
    expect(await cachedRepositories(path.join(cache, 'nowhere'))).toEqual([]);
  });
});
