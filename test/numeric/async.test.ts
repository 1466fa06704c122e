import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { selectDiverseAsync, VectorIndex } from '../../lib/index.ts';
import { randomUnit, row, seeded } from '../support/vectors.ts';

const dim = 64;
const random = seeded(41);
const values = randomUnit(20_000, dim, random);
const index = VectorIndex.from(values, { dim });

describe('asynchronous calls', () => {
  it('survive the transfer of their input in mid-flight', async () => {
    const queries = randomUnit(20, dim, random);
    const expected = index.searchSync(queries, 10);
    const searching = index.search(queries, 10);
    structuredClone(queries, { transfer: [queries.buffer as ArrayBuffer] });
    expect(queries.length).toBe(0);
    expect(await searching).toEqual(expected);

    const embeddings = values.slice(0, 300 * dim);
    const input = {
      query: row(values, 9, dim).slice(),
      embeddings,
      quality: new Float32Array(300).fill(1),
      k: 30,
    };
    const undisturbed = await selectDiverseAsync({ ...input, embeddings: embeddings.slice() });
    const selecting = selectDiverseAsync(input);
    structuredClone(embeddings, { transfer: [embeddings.buffer as ArrayBuffer] });
    expect(await selecting).toEqual(undisturbed);
  });

  it('reject with the reason of a signal that is already aborted', async () => {
    const reason = new Error('no longer wanted');
    const signal = AbortSignal.abort(reason);
    await expect(index.search(row(values, 0, dim), 1, { signal })).rejects.toBe(reason);
  });

  it('stop in mid-flight when the signal aborts', async () => {
    const controller = new AbortController();
    const searching = index.search(values, 5, { signal: controller.signal });
    controller.abort();
    await expect(searching).rejects.toMatchObject({ name: 'AbortError' });
    expect((await index.search(row(values, 3, dim), 1)).ids[0]).toBe(3);
  });

  it('run many at once, each with its own answer', async () => {
    const found = await Promise.all(
      Array.from({ length: 200 }, (_, i) => index.search(row(values, i * 7, dim), 1)),
    );
    expect(found.map(({ ids }) => ids[0])).toEqual(Array.from({ length: 200 }, (_, i) => i * 7));
  });

  it('let the event loop turn while they run', async () => {
    let done = false;
    const searching = index.search(values.subarray(0, 2_000 * dim), 5).finally(() => {
      done = true;
    });
    let turns = 0;
    for (; !done; turns++) await nextTurn();
    await searching;
    expect(turns).toBeGreaterThan(2);
  });
});
