import { endianness } from 'node:os';
import { Prose, unexpected } from '../errors.ts';

/** Rows of float32. */
export interface Matrix {
  readonly rows: number;
  readonly dim: number;
  /** rows × dim, row-major. */
  readonly values: Float32Array;
}

// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
const MAGIC = Buffer.from('\x93NUMPY', 'latin1');
const ALIGNMENT = 64;

/** A float32 matrix as NumPy's `numpy.save` writes it: format 1.0, C order, little-endian. */
export function encodeNpy({ rows, dim, values }: Matrix): Buffer {
  const facts = `{'descr': '<f4', 'fortran_order': False, 'shape': (${rows}, ${dim}), }`;
  const unpadded = MAGIC.length + 4 + facts.length + 1;
  const header = `${facts.padEnd(facts.length + ((ALIGNMENT - (unpadded % ALIGNMENT)) % ALIGNMENT))}\n`;
  const head = Buffer.concat([MAGIC, Buffer.from([1, 0, 0, 0]), Buffer.from(header, 'latin1')]);
  head.writeUInt16LE(header.length, MAGIC.length + 2);
  const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  return Buffer.concat([head, endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32()]);
}

/**
 * Reads a float32 matrix of any NumPy format, 1.0 to 3.0, C order, of either byte order.
 * @param name for the errors.
 * @throws {SkillspanError} `ERR_CORRUPT_INDEX` for anything else.
 */
export function decodeNpy(bytes: Buffer, name: string): Matrix {
  const bad = (expected: string, came: string) =>
    unexpected('ERR_CORRUPT_INDEX', name, expected, new Prose(came));
  if (bytes.length < 12 || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw bad('a NumPy file (.npy)', 'something else');
  }
  const version = bytes[6]!;
  if (version < 1 || version > 3) throw bad('NumPy format 1 to 3', String(version));
  const start = version === 1 ? 10 : 12;
  const length = version === 1 ? bytes.readUInt16LE(8) : bytes.readUInt32LE(8);
  if (start + length > bytes.length)
    throw bad(`a header of ${length} bytes`, 'the end of the file');
  const header = bytes.toString('latin1', start, start + length);
  const descr = /['"]descr['"]\s*:\s*['"]([^'"]*)['"]/.exec(header)?.[1];
  const order = /['"]fortran_order['"]\s*:\s*(True|False)/.exec(header)?.[1];
  const shape = /['"]shape['"]\s*:\s*\(\s*(\d{1,15})\s*,\s*(\d{1,15})\s*,?\s*\)/.exec(header);
  if (descr !== '<f4' && descr !== '>f4') throw bad('float32 (<f4 or >f4)', descr ?? 'no dtype');
  if (order !== 'False') throw bad('C order', order === 'True' ? 'Fortran order' : 'none');
  if (!shape) throw bad('a matrix of two dimensions', header.trim());
  const [rows, dim] = [Number(shape[1]), Number(shape[2])];
  const expected = rows * dim * 4;
  const found = bytes.length - start - length;
  if (found !== expected)
    throw bad(`${rows} × ${dim} numbers, ${expected} bytes`, `${found} bytes`);

  // A copy, because the numbers may begin at any offset and a Float32Array only at multiples of 4.
  const copy = new Uint8Array(bytes.subarray(start + length));
  if ((descr === '<f4') !== (endianness() === 'LE')) Buffer.from(copy.buffer).swap32();
  return { rows, dim, values: new Float32Array(copy.buffer) };
}
