import { webcrypto } from 'node:crypto';
import { endianness } from 'node:os';

/** What a file must have been written for. */
export interface CacheIdentity {
  /** ASCII. */
  readonly fingerprint: string;
  readonly dim: number;
}

// The file, with every integer and float little-endian:
//
//   magic               8 bytes
//   version             uint32
//   dim                 uint32
//   count               uint32
//   fingerprint length  uint32
//   fingerprint         ASCII
//   keys                count × 32 bytes
//   rows                count × dim × float32
//   checksum            SHA-256 of all the above, 32 bytes
const MAGIC = Buffer.from('SKSPEMB\n', 'latin1');
const VERSION = 1;
const FINGERPRINT_AT = 24;
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 32;

/**
 * Lays vectors out as a file; keys are 32 bytes in hexadecimal. The map is read before the promise is
 * returned, so it may change while the checksum is computed.
 */
export async function encodeCache(
  vectors: ReadonlyMap<string, Float32Array>,
  { fingerprint, dim }: CacheIdentity,
): Promise<Buffer> {
  const { keysAt, rowsAt, checksumAt, size } = layout(fingerprint.length, vectors.size, dim);
  const rows = new Float32Array(vectors.size * dim);
  const bytes = Buffer.alloc(size);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(VERSION, 8);
  bytes.writeUInt32LE(dim, 12);
  bytes.writeUInt32LE(vectors.size, 16);
  bytes.writeUInt32LE(fingerprint.length, 20);
  bytes.write(fingerprint, FINGERPRINT_AT, 'latin1');
  let index = 0;
  for (const [key, vector] of vectors) {
    bytes.write(key, keysAt + index * KEY_BYTES, 'hex');
    rows.set(vector, index * dim);
    index += 1;
  }
  bytes.set(toLittleEndian(rows), rowsAt);
  bytes.set(await sha256(bytes.subarray(0, checksumAt)), checksumAt);
  return bytes;
}

/** Reads a file back, trusting nothing in it before its checksum; or says in words why it cannot be used. */
export async function decodeCache(
  bytes: Buffer,
  expected: CacheIdentity,
): Promise<Map<string, Float32Array> | string> {
  if (bytes.length < FINGERPRINT_AT + CHECKSUM_BYTES) return `truncated to ${bytes.length} bytes`;
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) return 'not an embedding cache';
  const version = bytes.readUInt32LE(8);
  if (version !== VERSION) return `format version: expected ${VERSION}, got ${version}`;
  const dim = bytes.readUInt32LE(12);
  const count = bytes.readUInt32LE(16);
  const fingerprintBytes = bytes.readUInt32LE(20);
  const { keysAt, rowsAt, checksumAt, size } = layout(fingerprintBytes, count, dim);
  if (bytes.length !== size) return `size: expected ${size} bytes, got ${bytes.length}`;
  const checksum = await sha256(bytes.subarray(0, checksumAt));
  if (!checksum.equals(bytes.subarray(checksumAt))) return 'checksum does not match';

  const fingerprint = bytes.toString('latin1', FINGERPRINT_AT, keysAt);
  if (fingerprint !== expected.fingerprint) return `written by another encoder, ${fingerprint}`;
  if (dim !== expected.dim) return `dimension: expected ${expected.dim}, got ${dim}`;

  const rows = fromLittleEndian(bytes.subarray(rowsAt, checksumAt));
  const vectors = new Map<string, Float32Array>();
  for (let index = 0; index < count; index += 1) {
    const keyAt = keysAt + index * KEY_BYTES;
    const key = bytes.toString('hex', keyAt, keyAt + KEY_BYTES);
    vectors.set(key, rows.subarray(index * dim, (index + 1) * dim));
  }
  return vectors;
}

function layout(fingerprintBytes: number, count: number, dim: number) {
  const keysAt = FINGERPRINT_AT + fingerprintBytes;
  const rowsAt = keysAt + count * KEY_BYTES;
  const checksumAt = rowsAt + count * dim * Float32Array.BYTES_PER_ELEMENT;
  return { keysAt, rowsAt, checksumAt, size: checksumAt + CHECKSUM_BYTES };
}

/** The bytes of `rows`, which are given up: on a big-endian host they are turned round in place. */
function toLittleEndian(rows: Float32Array<ArrayBuffer>): Buffer {
  const bytes = Buffer.from(rows.buffer);
  return endianness() === 'LE' ? bytes : bytes.swap32();
}

function fromLittleEndian(bytes: Buffer): Float32Array<ArrayBuffer> {
  // A copy, because the rows begin at any offset and a Float32Array only at multiples of 4.
  const copy = new Uint8Array(bytes);
  if (endianness() === 'BE') Buffer.from(copy.buffer).swap32();
  return new Float32Array(copy.buffer);
}

/** Off the event loop: a cache may have hundreds of megabytes. */
async function sha256(bytes: Uint8Array): Promise<Buffer> {
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes));
}
