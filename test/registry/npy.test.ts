import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeNpy, encodeNpy } from '../../lib/registry/npy.ts';

/** A file with this header, and so many bytes behind it. */
function npy(facts: string, bytes: number, version = 1): Buffer {
  const head = version === 1 ? Buffer.alloc(10) : Buffer.alloc(12);
  head.write('\x93NUMPY', 'latin1');
  head[6] = version;
  if (version === 1) head.writeUInt16LE(facts.length, 8);
  else head.writeUInt32LE(facts.length, 8);
  return Buffer.concat([head, Buffer.from(facts, 'latin1'), Buffer.alloc(bytes)]);
}

describe('NumPy files', () => {
  it('hold what was put in, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.nat(9),
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.float()),
        (rows, dim, stream) => {
          const values = Float32Array.from({ length: rows * dim }, () => stream.next().value);
          const bytes = encodeNpy({ rows, dim, values });
          expect(bytes.indexOf('\n') % 64).toBe(63);
          expect(decodeNpy(bytes, 'x.npy')).toEqual({ rows, dim, values });
        },
      ),
    );
  });

  it('are read in later formats, in either byte order, as others write them', () => {
    const facts = '{"shape":(1,2),"fortran_order":False,"descr":">f4"}\n';
    for (const version of [1, 2, 3]) {
      const bytes = npy(facts, 8, version);
      bytes.writeFloatBE(0.5, bytes.length - 8);
      bytes.writeFloatBE(-2, bytes.length - 4);
      const { values } = decodeNpy(bytes, 'x.npy');
      expect([...values]).toEqual([0.5, -2]);
    }
  });

  const good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
  it.each([
    ['another file', Buffer.from('PK\x03\x04 something else'), 'expected a NumPy file'],
    ['nothing', Buffer.alloc(0), 'expected a NumPy file'],
    ['a later format', npy(good, 24, 4), 'expected NumPy format 1 to 3, got 4'],
    ['doubles', npy(good.replace('<f4', '<f8'), 48), 'expected float32 (<f4 or >f4), got <f8'],
    [
      'Fortran order',
      npy(good.replace('False', 'True'), 24),
      'expected C order, got Fortran order',
    ],
    ['a vector', npy(good.replace('(2, 3)', '(6,)'), 24), 'expected a matrix of two dimensions'],
    ['too few numbers', npy(good, 20), 'expected 2 × 3 numbers, 24 bytes, got 20 bytes'],
    ['too many numbers', npy(good, 28), 'got 28 bytes'],
    ['half a header', npy(good, 0).subarray(0, 30), 'expected a header of'],
  ])('are refused where they are %s', (_, bytes, message) => {
    expect(() => decodeNpy(bytes, 'x.npy')).toThrow(
      expect.objectContaining({
        code: 'ERR_CORRUPT_INDEX',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('never do worse than that, whatever byte of them changes', () => {
    const values = Float32Array.from([1, 2, 3, 4]);
    const sound = encodeNpy({ rows: 2, dim: 2, values });
    fc.assert(
      fc.property(fc.nat(sound.length - 1), fc.nat(255), fc.nat(sound.length), (at, byte, end) => {
        const bytes = Buffer.from(sound).subarray(0, end);
        if (at < end) bytes[at] = byte;
        try {
          decodeNpy(bytes, 'x.npy');
        } catch (error) {
          expect(error).toMatchObject({ code: 'ERR_CORRUPT_INDEX' });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
