import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HubFile {
  readonly content: Uint8Array | string;
  /** Large files are known by sha256, small ones by what git calls them. Default false. */
  readonly large?: boolean;
  /** What the listing says instead of the true checksum. */
  readonly listedAs?: string;
  /** Bytes after which the connection breaks, the first time. */
  readonly breakAt?: number;
}

export interface HubRequest {
  readonly url: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

const COMMIT = 'c0ffee'.repeat(6).padEnd(40, '0');

/** A hub on this machine with one repository, as far as downloads use one. Closed after the test. */
export async function hubServer(
  repository: string,
  files: Readonly<Record<string, HubFile>>,
  options: { token?: string } = {},
) {
  const requests: HubRequest[] = [];
  const broken = new Set<string>();
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    const { range, authorization } = headers;
    requests.push({ url, range, authorization });
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (options.token !== undefined && authorization !== `Bearer ${options.token}`) {
      return json(401, { error: 'Invalid credentials' });
    }
    if (url.startsWith(`/api/models/${repository}/revision/main`)) {
      return json(200, { _id: '1', id: repository, sha: COMMIT });
    }
    if (url.startsWith(`/api/models/${repository}/tree/${COMMIT}`)) {
      return json(200, Object.entries(files).map(listed));
    }
    const resolve = `/${repository}/resolve/${COMMIT}/`;
    const name = url.startsWith(resolve) ? url.slice(resolve.length) : '';
    const file = files[name];
    if (!file) return json(404, { error: 'Repository not found' });

    const content = Buffer.from(file.content);
    const [, first = '0', last = ''] = /bytes=(\d+)-(\d*)/.exec(range ?? '') ?? [];
    const end = last === '' ? content.length - 1 : Math.min(Number(last), content.length - 1);
    const body = content.subarray(Number(first), end + 1);
    response.writeHead(range ? 206 : 200, {
      etag: `"${checksum(file)}"`,
      'content-length': body.length,
      ...(range && { 'content-range': `bytes ${first}-${end}/${content.length}` }),
    });
    const probe = body.length <= 1 && range !== undefined;
    if (file.breakAt !== undefined && !probe && !broken.has(name)) {
      broken.add(name);
      response.write(body.subarray(0, file.breakAt), () => response.destroy());
    } else {
      response.end(body);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, commit: COMMIT };
}

function listed([path, file]: [string, HubFile]) {
  const size = Buffer.from(file.content).length;
  const oid = file.listedAs ?? checksum(file);
  const lfs = { oid, size, pointerSize: 130 };
  return { type: 'file', path, size, ...(file.large ? { oid: 'f'.repeat(40), lfs } : { oid }) };
}

export function checksum({ content, large }: HubFile): string {
  const bytes = Buffer.from(content);
  if (large) return createHash('sha256').update(bytes).digest('hex');
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
