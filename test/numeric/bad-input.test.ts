import { describe, expect, it } from 'vitest';
import {
  type SelectInput,
  selectDiverse,
  selectDiverseAsync,
  VectorIndex,
} from '../../lib/index.ts';
import { randomUnit, seeded } from '../support/vectors.ts';

const dim = 4;
const vectors = randomUnit(6, dim, seeded(1));
const query = randomUnit(1, dim, seeded(2));
const index = VectorIndex.from(vectors, { dim });
const good: SelectInput = { query, embeddings: vectors, quality: [1, 1, 1, 1, 1, 1], k: 2 };

function withValue(values: Float32Array, at: number, value: number): Float32Array {
  const copy = values.slice();
  copy[at] = value;
  return copy;
}

function withZeroRow(values: Float32Array, row: number): Float32Array {
  return values.slice().fill(0, row * dim, (row + 1) * dim);
}

function detached(values: Float32Array): Float32Array {
  const copy = values.slice();
  structuredClone(copy, { transfer: [copy.buffer] });
  return copy;
}

type Case = [what: string, act: () => unknown, code: string, message: string];

const wrong = <T>(value: unknown) => value as T;

const indexCases: Case[] = [
  [
    'NaN',
    () => VectorIndex.from(withValue(vectors, 9, Number.NaN), { dim }),
    'ERR_NOT_FINITE',
    'vectors: expected finite numbers, got NaN or Infinity in row 2',
  ],
  [
    'Infinity',
    () => VectorIndex.from(withValue(vectors, 0, Number.POSITIVE_INFINITY), { dim }),
    'ERR_NOT_FINITE',
    'vectors: expected finite numbers, got NaN or Infinity in row 0',
  ],
  [
    'a zero vector',
    () => VectorIndex.from(withZeroRow(vectors, 5), { dim }),
    'ERR_ZERO_VECTOR',
    'vectors: expected vectors with a direction, got all zeros in row 5',
  ],
  [
    'a length that is no multiple of dim',
    () => VectorIndex.from(vectors, { dim: 5 }),
    'ERR_DIMENSION',
    'vectors: expected rows of 5 numbers, got 24 numbers',
  ],
  [
    'no vectors',
    () => VectorIndex.from(new Float32Array(0), { dim }),
    'ERR_INVALID_ARGUMENT',
    'vectors: expected at least one row of 4 numbers, got an empty or detached array',
  ],
  [
    'a detached buffer',
    () => VectorIndex.from(detached(vectors), { dim }),
    'ERR_INVALID_ARGUMENT',
    'vectors: expected at least one row of 4 numbers, got an empty or detached array',
  ],
  [
    'another array type',
    () => VectorIndex.from(wrong(Float64Array.from(vectors)), { dim }),
    'ERR_INVALID_ARGUMENT',
    'vectors: expected a Float32Array, got Float64Array(192 bytes)',
  ],
  [
    'dim 0',
    () => VectorIndex.from(vectors, { dim: 0 }),
    'ERR_OUT_OF_RANGE',
    'dim: expected a whole number from 1 to 65536, got 0',
  ],
  [
    'a fractional dim',
    () => VectorIndex.from(vectors, { dim: 1.5 }),
    'ERR_OUT_OF_RANGE',
    'dim: expected a whole number from 1 to 65536, got 1.5',
  ],
];

const searchCases: Case[] = [
  [
    'NaN',
    () => index.searchSync(withValue(query, 1, Number.NaN), 1),
    'ERR_NOT_FINITE',
    'queries: expected finite numbers, got NaN or Infinity in row 0',
  ],
  [
    'a zero query',
    () => index.searchSync(new Float32Array(dim), 1),
    'ERR_ZERO_VECTOR',
    'queries: expected vectors with a direction, got all zeros in row 0',
  ],
  [
    'a query of another dimension',
    () => index.searchSync(new Float32Array(3).fill(1), 1),
    'ERR_DIMENSION',
    'queries: expected rows of 4 numbers, got 3 numbers',
  ],
  [
    'a detached buffer',
    () => index.searchSync(detached(query), 1),
    'ERR_INVALID_ARGUMENT',
    'queries: expected at least one row of 4 numbers, got an empty or detached array',
  ],
  [
    'm = 0',
    () => index.searchSync(query, 0),
    'ERR_OUT_OF_RANGE',
    'm: expected a whole number from 1 to 4294967295, got 0',
  ],
  [
    'a string for m',
    () => index.searchSync(query, wrong('3')),
    'ERR_OUT_OF_RANGE',
    'm: expected a whole number from 1 to 4294967295, got "3"',
  ],
  [
    'm for more queries than there are',
    () => index.searchSync(vectors.subarray(0, 4), [3, 3]),
    'ERR_DIMENSION',
    'm: expected 1 numbers, one a query, got 2',
  ],
  [
    'an m of 0 among others',
    () => index.searchSync(vectors.subarray(0, 8), [3, 0]),
    'ERR_OUT_OF_RANGE',
    'm[1]: expected a whole number from 1 to 4294967295, got 0',
  ],
];

const changeCases: Case[] = [
  [
    'fewer rows than ids',
    () => index.addSync([1, 2], query),
    'ERR_DIMENSION',
    'vectors: expected 2 rows, one an id, got 1',
  ],
  [
    'rows without ids',
    () => index.addSync([], query),
    'ERR_DIMENSION',
    'vectors: expected 0 rows, one an id, got 1',
  ],
  [
    'a row of another dimension',
    () => index.addSync([1], new Float32Array(5).fill(1)),
    'ERR_DIMENSION',
    'vectors: expected rows of 4 numbers, got 5 numbers',
  ],
  [
    'a NaN in a new vector',
    () => index.addSync([1], withValue(query, 2, Number.NaN)),
    'ERR_NOT_FINITE',
    'vectors: expected finite numbers, got NaN or Infinity in row 0',
  ],
  [
    'a negative id',
    () => index.addSync([-1], query),
    'ERR_OUT_OF_RANGE',
    'ids[0]: expected a whole number from 0 to 4294967295, got -1',
  ],
  [
    'an id that is no number',
    () => index.removeSync([3, wrong('a')]),
    'ERR_OUT_OF_RANGE',
    'ids[1]: expected a whole number from 0 to 4294967295, got "a"',
  ],
  [
    'ids that are no list',
    () => index.removeSync(wrong(7)),
    'ERR_INVALID_ARGUMENT',
    'ids: expected numbers, got 7',
  ],
  [
    'an allow-list of ids where a bitmap is wanted',
    () => index.searchSync(query, 1, { allowed: wrong([1, 2]) }),
    'ERR_INVALID_ARGUMENT',
    'allowed: expected a Uint32Array, got an array of 2',
  ],
  [
    'an empty index of no dimension',
    () => VectorIndex.empty({ dim: 0 }),
    'ERR_OUT_OF_RANGE',
    'dim: expected a whole number from 1 to 65536, got 0',
  ],
];

const routeCases: Case[] = [
  [
    'k = 0',
    () => index.routeSync(query, { k: 0 }),
    'ERR_OUT_OF_RANGE',
    'k: expected a whole number from 1 to 50, got 0',
  ],
  [
    'k > candidates',
    () => index.routeSync(query, { k: 4, candidates: 3 }),
    'ERR_OUT_OF_RANGE',
    'k: expected a whole number from 1 to 3, got 4',
  ],
  [
    'a negative sharpness',
    () => index.routeSync(query, { k: 2, sharpness: -1 }),
    'ERR_OUT_OF_RANGE',
    'sharpness: expected a number from 0 to 1000000, got -1',
  ],
  [
    'an unknown exactness',
    () => VectorIndex.from(vectors, { dim, exactness: wrong('perhaps') }),
    'ERR_INVALID_ARGUMENT',
    'exactness: expected one of certain, probable, got "perhaps"',
  ],
  [
    'an unknown method',
    () => index.routeSync(query, { k: 2, method: wrong('best') }),
    'ERR_INVALID_ARGUMENT',
    'method: expected one of dsr, dpp-cosine, mmr, topk, got "best"',
  ],
];

const selectCases: Case[] = [
  [
    'NaN in an embedding',
    () => selectDiverse({ ...good, embeddings: withValue(vectors, 23, Number.NaN) }),
    'ERR_NOT_FINITE',
    'embeddings: expected finite numbers, got NaN or Infinity in row 5',
  ],
  [
    'a zero embedding',
    () => selectDiverse({ ...good, embeddings: withZeroRow(vectors, 3) }),
    'ERR_ZERO_VECTOR',
    'embeddings: expected vectors with a direction, got all zeros in row 3',
  ],
  [
    'Infinity in the query',
    () => selectDiverse({ ...good, query: withValue(query, 0, Number.NEGATIVE_INFINITY) }),
    'ERR_NOT_FINITE',
    'query: expected finite numbers, got NaN or Infinity in row 0',
  ],
  [
    'embeddings of another dimension',
    () => selectDiverse({ ...good, query: new Float32Array(5).fill(1) }),
    'ERR_DIMENSION',
    'embeddings: expected rows of 5 numbers, got 24 numbers',
  ],
  [
    'a detached query',
    () => selectDiverse({ ...good, query: detached(query) }),
    'ERR_INVALID_ARGUMENT',
    'query: expected at least one number, got an empty or detached array',
  ],
  [
    'detached embeddings',
    () => selectDiverse({ ...good, embeddings: detached(vectors) }),
    'ERR_INVALID_ARGUMENT',
    'embeddings: expected at least one row of 4 numbers, got an empty or detached array',
  ],
  [
    'k = 0',
    () => selectDiverse({ ...good, k: 0 }),
    'ERR_OUT_OF_RANGE',
    'k: expected a whole number from 1 to 6, got 0',
  ],
  [
    'k > M',
    () => selectDiverse({ ...good, k: 7 }),
    'ERR_OUT_OF_RANGE',
    'k: expected a whole number from 1 to 6, got 7',
  ],
  [
    'a negative quality',
    () => selectDiverse({ ...good, quality: [1, 1, -0.5, 1, 1, 1] }),
    'ERR_OUT_OF_RANGE',
    'quality[2]: expected a finite number of at least 0, got -0.5',
  ],
  [
    'a NaN quality',
    () => selectDiverse({ ...good, quality: [1, 1, 1, 1, 1, Number.NaN] }),
    'ERR_OUT_OF_RANGE',
    'quality[5]: expected a finite number of at least 0, got NaN',
  ],
  [
    'an infinite quality',
    () => selectDiverse({ ...good, quality: [Number.POSITIVE_INFINITY, 1, 1, 1, 1, 1] }),
    'ERR_OUT_OF_RANGE',
    'quality[0]: expected a finite number of at least 0, got Infinity',
  ],
  [
    'too few qualities',
    () => selectDiverse({ ...good, quality: [1, 1] }),
    'ERR_DIMENSION',
    'quality: expected 6 numbers, one a row of embeddings, got 2',
  ],
  [
    'no qualities',
    () => selectDiverse({ ...good, quality: wrong(undefined) }),
    'ERR_INVALID_ARGUMENT',
    'quality: expected an array of numbers, got undefined',
  ],
  [
    'lambda above 1',
    () => selectDiverse({ ...good, lambda: 1.01 }),
    'ERR_OUT_OF_RANGE',
    'lambda: expected a number from 0 to 1, got 1.01',
  ],
  [
    'a NaN lambda',
    () => selectDiverse({ ...good, lambda: Number.NaN }),
    'ERR_OUT_OF_RANGE',
    'lambda: expected a number from 0 to 1, got NaN',
  ],
];

describe.each([
  ['VectorIndex.from', indexCases],
  ['search', searchCases],
  ['a change', changeCases],
  ['route', routeCases],
  ['selectDiverse', selectCases],
])('%s refuses', (_, cases) => {
  it.each(cases)('%s', (_what, act, code, message) => {
    let thrown: unknown;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'SkillspanError', code, message });
  });
});

describe('asynchronous forms', () => {
  it('reject instead of throwing', async () => {
    await expect(index.search(query, 0)).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await expect(index.search(new Float32Array(dim), 1)).rejects.toMatchObject({
      code: 'ERR_ZERO_VECTOR',
    });
    await expect(index.route(query, { k: 51 })).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await expect(selectDiverseAsync({ ...good, k: 0 })).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    });
  });

  it('leave the index usable after an error', async () => {
    await expect(index.search(query, 0.5)).rejects.toThrow();
    expect((await index.search(query, 6)).ids.length).toBe(6);
  });
});
