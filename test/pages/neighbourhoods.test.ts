import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findNeighbourhoods, neighbourhoodStatistics } from '../../lib/pages/neighbourhoods.ts';
import { clustered, randomUnit, seeded } from '../support/vectors.ts';

const dim = 32;

describe('neighbourhoods', () => {
  it('part the rows into groups within bounds and singles', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 1e6 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 3, max: 12 }),
        async (n, seed, buckets, maxSize) => {
          const vectors = clustered(n, dim, seeded(seed), { spread: 0.2, copies: 0.3 });
          const minSize = Math.max(2, Math.floor((maxSize + 1) / 2) - 1);
          const found = await findNeighbourhoods(vectors, { dim, buckets, maxSize, minSize });
          const rows = [...found.groups.flat(), ...found.singles].sort((a, b) => a - b);
          expect(rows).toEqual([...Array(n).keys()]);
          for (const group of found.groups) {
            expect(group.length).toBeGreaterThanOrEqual(minSize);
            expect(group.length).toBeLessThanOrEqual(maxSize);
            expect(new Set(group.map((row) => found.buckets[row])).size).toBe(1);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  it('have as many buckets as their number asks for', async () => {
    const some = randomUnit(900, dim, seeded(1));
    const { buckets } = await findNeighbourhoods(some, { dim });
    expect(new Set(buckets).size).toBe(3);
  });

  it('are counted', async () => {
    const found = {
      groups: [
        [0, 2, 3],
        [1, 4, 5],
      ],
      singles: [6, 7],
      buckets: new Uint32Array(8),
    };
    expect(neighbourhoodStatistics(found)).toEqual({
      rows: 8,
      buckets: 1,
      neighbourhoods: 2,
      singles: 2,
      singleShare: 0.25,
      meanSize: 3,
      sizes: { 3: 2 },
    });
  });

  it('stop when the signal aborts, and say how far they have come until then', async () => {
    const many = randomUnit(30_000, 128, seeded(2));
    const controller = new AbortController();
    const steps: number[] = [];
    const onProgress = (done: number, total: number) => {
      expect(total).toBe(1_000);
      steps.push(done);
      controller.abort(new Error('enough'));
    };
    const { signal } = controller;
    await expect(
      findNeighbourhoods(many, { dim: 128, buckets: 30_000, onProgress, signal }),
    ).rejects.toThrow('enough');
    expect(steps.length).toBeGreaterThan(0);
  });

  it.each([
    [{ dim: 0 }, 'ERR_OUT_OF_RANGE'],
    [{ dim: 5 }, 'ERR_DIMENSION'],
    [{ dim, buckets: 0 }, 'ERR_OUT_OF_RANGE'],
    [{ dim, distance: -1 }, 'ERR_OUT_OF_RANGE'],
    [{ dim, maxSize: 2 }, 'ERR_OUT_OF_RANGE'],
    [{ dim, maxSize: 6, minSize: 4 }, 'ERR_OUT_OF_RANGE'],
    [{ dim, seed: 0.5 }, 'ERR_OUT_OF_RANGE'],
  ])('refuse %j with %s', async (options, code) => {
    const vectors = randomUnit(2, dim, seeded(3));
    await expect(findNeighbourhoods(vectors, options)).rejects.toMatchObject({ code });
  });

  it('refuse a row without direction, naming it', async () => {
    const vectors = randomUnit(4, dim, seeded(4)).fill(0, 2 * dim, 3 * dim);
    await expect(findNeighbourhoods(vectors, { dim })).rejects.toThrow(/row 2$/);
  });
});
