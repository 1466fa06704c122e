import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Prose, SkillspanError, unexpected } from '../errors.ts';
import { CachedRepository, exists, hubCacheDir } from './hub-cache.ts';
import { ONNX_FILES } from './model-folder.ts';
import type { Dtype } from './presets.ts';

type Hub = typeof import('@huggingface/hub');

export interface DownloadOptions {
  /** Called with every piece of a file that arrives, in bytes; of a resumed one from where it was. */
  readonly onDownload?: (file: string, done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

/** A file of a repository, and what it has to be. */
interface HubFile {
  readonly path: string;
  readonly size: number;
  /** sha256 of a large file; of a small one what git calls it, a sha1 over a header and the content. */
  readonly checksum: string;
  readonly isLarge: boolean;
}

/** What is fetched beside the graph, where the repository has it. */
const TEXT_FILES = [
  'config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  '1_Pooling/config.json',
  'config_sentence_transformers.json',
];

const MIB = 1 << 20;

/** Whether the environment forbids the network. */
export function isOffline(env: NodeJS.ProcessEnv = process.env): boolean {
  return /^(1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? '');
}

/**
 * Fetches what is needed of a model into the standard cache: listed and read through
 * `@huggingface/hub`, which neither resumes nor checks, so both are done here. The graph comes last: where
 * it is, everything is.
 * @param dtypes number types that will do, in order of preference.
 * @returns the snapshot's folder.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND` where the hub knows no such model, or no ONNX file of it;
 *   `ERR_MODEL_DOWNLOAD` for whatever keeps it from coming whole.
 */
export async function download(
  repository: string,
  dtypes: readonly Dtype[],
  { onDownload, signal }: DownloadOptions = {},
): Promise<string> {
  const hub = await loadHub();
  const { HF_ENDPOINT, HF_TOKEN } = process.env;
  const access = {
    hubUrl: (HF_ENDPOINT ?? hub.HUB_URL).replace(/\/+$/, ''),
    ...(HF_TOKEN && { accessToken: HF_TOKEN }),
    fetch: ((input, init) => fetch(input, { ...init, ...(signal && { signal }) })) as typeof fetch,
  };
  const repo = { type: 'model', name: repository } as const;
  const cache = new CachedRepository(repository);
  try {
    const { sha } = await hub.modelInfo({
      name: repository,
      revision: 'main',
      additionalFields: ['sha'],
      ...access,
    });
    const listed = hub.listFiles({ repo, recursive: true, revision: sha, ...access });
    const files = chooseFiles(await toHubFiles(listed), dtypes, repository);
    for (const file of files) {
      const blob = cache.blob(file.checksum);
      if (!(await exists(blob))) {
        const read = () =>
          hub.downloadFile({ repo, path: file.path, revision: sha, xet: false, ...access });
        await fetchFile(file, blob, read, (done) => onDownload?.(file.path, done, file.size));
      }
      await cache.link(file.checksum, sha, file.path);
    }
    await cache.remember(sha);
    return cache.snapshotOf(sha);
  } catch (error) {
    signal?.throwIfAborted();
    throw explained(error, repository, access.hubUrl);
  }
}

async function loadHub(): Promise<Hub> {
  try {
    return await import('@huggingface/hub');
  } catch (cause) {
    throw new SkillspanError(
      'ERR_MODEL_NOT_FOUND',
      '@huggingface/hub: expected this optional package for downloading models, got none; ' +
        'run: npm install @huggingface/hub',
      { cause },
    );
  }
}

/** Names and checksums become paths: what does not look like one is passed over. */
async function toHubFiles(listed: ReturnType<Hub['listFiles']>): Promise<HubFile[]> {
  const files: HubFile[] = [];
  for await (const { type, path, size, oid, lfs } of listed) {
    const checksum = lfs?.oid ?? oid ?? '';
    if (type !== 'file' || !/^[0-9a-f]{40,64}$/.test(checksum)) continue;
    files.push({ path, size: lfs?.size ?? size, checksum, isLarge: lfs !== undefined });
  }
  return files;
}

/** The graph of the first number type that there is, last; before it its weights, and the text files. */
function chooseFiles(
  files: readonly HubFile[],
  dtypes: readonly Dtype[],
  repository: string,
): HubFile[] {
  const graphs = dtypes.flatMap((dtype) =>
    ONNX_FILES[dtype].flatMap((name) => [`onnx/${name}`, name]),
  );
  const name = graphs.find((graph) => files.some((file) => file.path === graph));
  if (name === undefined) {
    const there = files.map((file) => file.path).filter((file) => file.endsWith('.onnx'));
    const came = there.length > 0 ? `only ${there.join(', ')}` : 'no ONNX file';
    const help =
      'export it (`optimum-cli export onnx --model REPOSITORY FOLDER`), and give the folder and its preset';
    throw unexpected(
      'ERR_MODEL_NOT_FOUND',
      repository,
      `one of ${graphs.join(', ')}`,
      new Prose(`${came}; ${help}`),
    );
  }
  const weights = files.filter(
    ({ path }) => path.startsWith(name) && /^[._]data[\w.]*$/.test(path.slice(name.length)),
  );
  const texts = files.filter(({ path }) => TEXT_FILES.includes(path));
  return [...texts, ...weights, files.find(({ path }) => path === name)!];
}

/** Goes on where an earlier try stopped, and keeps nothing that is not what it should be. */
async function fetchFile(
  file: HubFile,
  blob: string,
  read: () => Promise<Blob | null>,
  onProgress: (done: number) => void,
): Promise<void> {
  const partial = `${blob}.incomplete`;
  await mkdir(path.dirname(blob), { recursive: true });
  let done = (await stat(partial).catch(() => undefined))?.size ?? 0;
  if (done > file.size) {
    await rm(partial);
    done = 0;
  }
  await checkRoom(path.dirname(blob), file.size - done);
  const hash = startHash(file);
  if (done > 0) {
    for await (const chunk of createReadStream(partial, { highWaterMark: MIB })) hash.update(chunk);
  }
  if (done < file.size) {
    const content = await read();
    if (!content) throw new Error(`${file.path} has gone`);
    const body = Readable.fromWeb(content.slice(done).stream() as never);
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          done += chunk.length;
          onProgress(done);
          yield chunk;
        }
      },
      createWriteStream(partial, { flags: 'a' }),
    );
  }
  const came = hash.digest('hex');
  if (came !== file.checksum) {
    // A short file may be gone on with; one that is wrong may not.
    if (done >= file.size) await rm(partial);
    const name = `${file.path} (${done} of ${file.size} bytes)`;
    throw unexpected('ERR_MODEL_DOWNLOAD', name, `checksum ${file.checksum}`, came);
  }
  await rename(partial, blob);
}

function startHash({ isLarge, size }: HubFile): Hash {
  return isLarge ? createHash('sha256') : createHash('sha1').update(`blob ${size}\0`);
}

async function checkRoom(folder: string, wanted: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= wanted) return;
  const expected = `room for ${mebibytes(wanted)} (or set HF_HUB_CACHE to a disk that has it)`;
  throw unexpected('ERR_MODEL_DOWNLOAD', folder, expected, new Prose(mebibytes(bavail * bsize)));
}

function mebibytes(bytes: number): string {
  return `${Math.ceil(bytes / MIB)} MiB`;
}

/** Says what failed, and what to do about it. */
function explained(error: unknown, repository: string, hubUrl: string): SkillspanError {
  if (error instanceof SkillspanError) return error;
  const { statusCode, message, code, cause } = error as Error & {
    statusCode?: number;
    code?: string;
  };
  const fail = (kind: 'ERR_MODEL_NOT_FOUND' | 'ERR_MODEL_DOWNLOAD', came: string) =>
    unexpected(kind, repository, `a model of ${hubUrl}`, new Prose(came), { cause: error });
  if (statusCode === 401 || statusCode === 403) {
    const help =
      'set HF_TOKEN to a token that may read it, or check the name: the hub hides what is private';
    return fail('ERR_MODEL_DOWNLOAD', `status ${statusCode}; ${help}`);
  }
  if (statusCode === 404)
    return fail('ERR_MODEL_NOT_FOUND', 'status 404, no such repository or file');
  if (code === 'ENOSPC') {
    const help = `free some, or set HF_HUB_CACHE to another than ${hubCacheDir()}`;
    return fail('ERR_MODEL_DOWNLOAD', `no space left on the disk; ${help}`);
  }
  const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return fail(
    'ERR_MODEL_DOWNLOAD',
    `${reason ?? error}; run it again to go on from where it stopped`,
  );
}
