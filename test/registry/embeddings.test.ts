import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { temporaryFolder } from '../support/registry-folder.ts';

const encoder = { fingerprint: 'an-encoder-of-three', dim: 3 };

describe('embeddings in a store', () => {
  it('come back as they were put, by text, and by nothing else', async () => {
    const dir = await temporaryFolder();
    const number = fc.float({ noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 8 }),
        fc.array(number, { minLength: 24, maxLength: 24 }),
        async (texts, numbers) => {
          const vectors = Float32Array.from(numbers.slice(0, 3 * texts.length));
          const first = SkillStore.open(dir);
          first.embeddings(encoder).put(texts, vectors);
          first.close();
          const second = SkillStore.open(dir);
          const read = second.embeddings(encoder);
          for (const [i, text] of texts.entries()) {
            expect(read.get(text)).toEqual(vectors.slice(3 * i, 3 * i + 3));
          }
          expect(read.missing(['not there', ...texts])).toEqual(['not there']);
          const other = second.embeddings({ ...encoder, fingerprint: 'another-encoder-of-3' });
          expect(other.missing(texts)).toEqual(texts);
          read.dropUnused();
          expect(read.size).toBe(0);
          second.close();
        },
      ),
      { numRuns: 20 },
    );
  });

  it('are refused where they are none', () => {
    const store = SkillStore.inMemory();
    const embeddings = store.embeddings(encoder);
    const put = (...numbers: number[]) => embeddings.put(['a'], Float32Array.from(numbers));
    expect(() => put(1, 2)).toThrow(expect.objectContaining({ code: 'ERR_DIMENSION' }));
    expect(() => put(1, Number.NaN, 2)).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_FINITE' }),
    );
    expect(embeddings.size).toBe(0);
    expect(() => store.embeddings({ fingerprint: '../x', dim: 3 })).toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_ARGUMENT' }),
    );
    expect(() => store.embeddings({ ...encoder, dim: 0 })).toThrow(
      expect.objectContaining({ code: 'ERR_OUT_OF_RANGE' }),
    );
  });
});
