import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bitmapOf, type LexicalHits, LexicalIndex } from '../../lib/index.ts';
import { type Corpus, lexicalScores, randomCorpus } from '../support/lexical-oracle.ts';
import { seeded } from '../support/vectors.ts';

/** Only rounding of float64: logarithms may differ in their last bit. */
const TOLERANCE = 1e-12;

function indexOf(corpus: Corpus, options = {}): LexicalIndex {
  const index = new LexicalIndex(options);
  index.addSync(corpus);
  return index;
}

/** Checks one query's hits against the scores of all documents. */
function expectExact(scores: Map<number, number>, hits: LexicalHits, m: number) {
  const best = [...scores]
    .filter(([, score]) => score > 0)
    .sort(([a, s], [b, t]) => t - s || a - b);
  expect(hits.ids.length).toBe(Math.min(m, best.length));
  expect(new Set(hits.ids).size).toBe(hits.ids.length);
  for (const [place, id] of hits.ids.entries()) {
    expect(Math.abs(hits.scores[place]! - scores.get(id)!)).toBeLessThan(TOLERANCE);
    expect(Math.abs(scores.get(id)! - best[place]![1])).toBeLessThan(TOLERANCE);
    if (place > 0 && hits.scores[place] === hits.scores[place - 1]) {
      expect(id).toBeGreaterThan(hits.ids[place - 1]!);
    }
  }
}

const scorings = fc.record({
  model: fc.constantFrom('bm25' as const, 'tf-idf' as const),
  k1: fc.constantFrom(0, 0.1, 1.2, 2, 1_000),
  b: fc.constantFrom(0, 0.5, 0.75, 1),
});

const queries = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 45 }).map((word) => `w${word}`),
    fc.constantFrom(0, 0.25, 1, 1, 1, 7),
  ),
  { maxLength: 12 },
);

describe('LexicalIndex', () => {
  it('finds what scoring every document finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 40 }),
        fc.array(queries, { maxLength: 4 }),
        fc.integer({ min: 1, max: 320 }),
        scorings,
        fc.integer(),
        async (n, vocabulary, pairs, m, scoring, seed) => {
          const corpus = randomCorpus(n, vocabulary, seeded(seed));
          const index = indexOf(corpus, scoring);
          const wanted = pairs.map((query) => new Map(query));
          const found = await index.search(wanted, m);
          expect(index.searchSync(wanted, m)).toEqual(found);
          expect(found.length).toBe(wanted.length);
          for (const [q, query] of wanted.entries()) {
            const scores = lexicalScores(corpus, query, scoring);
            expectExact(scores, found[q]!, m);
            const ids = [...scores.keys()];
            const each = await index.scoresFor(query, ids);
            expect(index.scoresForSync(query, ids)).toEqual(each);
            for (const [i, id] of ids.entries()) {
              expect(Math.abs(each[i]! - scores.get(id)!)).toBeLessThan(TOLERANCE);
            }
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  it('counts only the documents present, whatever came and went', () => {
    const word = fc.integer({ min: 0, max: 9 }).map((i) => `w${i}`);
    const terms = fc.dictionary(word, fc.constantFrom(0.25, 1, 2, 3), { maxKeys: 6 });
    const change = fc.oneof(
      fc.record({ add: fc.array(fc.tuple(fc.nat(30), terms), { maxLength: 12 }) }),
      fc.record({ remove: fc.array(fc.nat(35), { maxLength: 12 }) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 25 }), scorings, (changes, scoring) => {
        const index = new LexicalIndex(scoring);
        const corpus = new Map<number, Map<string, number>>();
        const query = new Map([0, 1, 2, 3].map((i) => [`w${i}`, 1 + i]));
        for (const step of changes) {
          if ('add' in step) {
            const documents = step.add.map(
              ([id, counts]) => [id, new Map(Object.entries(counts))] as const,
            );
            for (const [id, counts] of documents) corpus.set(id, counts);
            expect(index.addSync(documents)).toBe(corpus.size);
          } else {
            for (const id of step.remove) corpus.delete(id);
            expect(index.removeSync(step.remove)).toBe(corpus.size);
          }
          expect(index.size).toBe(corpus.size);
          expectExact(lexicalScores(corpus, query, scoring), index.searchSync([query], 5)[0]!, 5);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('spans many windows exactly', async () => {
    const corpus = randomCorpus(12_000, 400, seeded(5));
    const index = indexOf(corpus);
    const query = new Map([3, 40, 41, 100, 150, 390].map((i) => [`w${i}`, 1]));
    const [hits] = await index.search([query], 50);
    expectExact(lexicalScores(corpus, query), hits!, 50);
  });

  it('finds as many as each query wants', () => {
    const index = indexOf(randomCorpus(500, 20, seeded(8)));
    const queries = [['w1'], ['w2', 'w3'], ['w1']];
    const hits = index.searchSync(queries, [2, 9, 1]);
    expect(hits.map(({ ids }) => ids.length)).toEqual([2, 9, 1]);
    expect(hits[1]).toEqual(index.searchSync([queries[1]!], 9)[0]);
    expect(hits[2]!.ids[0]).toBe(hits[0]!.ids[0]);
  });

  it('gives ties to the lower id', () => {
    const same = new Map([['a', 1]]);
    const index = new LexicalIndex();
    for (const id of [9, 4, 7, 1, 8]) index.addSync([[id, same]]);
    expect([...index.searchSync([['a']], 3)[0]!.ids]).toEqual([1, 4, 7]);
  });

  it('honours a bitmap of allowed ids, and an empty one allows nothing', () => {
    const corpus = randomCorpus(500, 20, seeded(6));
    const index = indexOf(corpus);
    const query = new Map([
      ['w1', 1],
      ['w4', 2],
    ]);
    const some = [...corpus.keys()].filter((id) => id % 7 === 3);
    const scores = lexicalScores(corpus, query);
    const [hits] = index.searchSync([query], 20, { allowed: bitmapOf(some) });
    expectExact(new Map(some.map((id) => [id, scores.get(id)!])), hits!, 20);
    expect(index.searchSync([query], 20, { allowed: bitmapOf([]) })[0]!.ids.length).toBe(0);
    expect(index.searchSync([query], 20, { allowed: new Uint32Array(1) })[0]!.ids.length).toBe(0);
  });

  it('finds nothing where there is nothing to find', () => {
    const index = new LexicalIndex();
    expect(index.searchSync([['a']], 3)[0]!.ids.length).toBe(0);
    expect(index.searchSync([], 3)).toEqual([]);
    index.addSync([[1, new Map()]]);
    expect(index.size).toBe(1);
    expect(index.searchSync([['a'], []], 3).map(({ ids }) => ids.length)).toEqual([0, 0]);
    index.addSync([[2, new Map([['a', 1]])]]);
    expect([...index.searchSync([['a', 'unknown']], 3)[0]!.ids]).toEqual([2]);
    expect(index.scoresForSync(['unknown'], [1, 2, 3])).toEqual(new Float64Array(3));
  });

  it('keeps a search in flight on the documents it was called with', async () => {
    const corpus = randomCorpus(3_000, 50, seeded(7));
    const index = indexOf(corpus);
    const query = new Map([
      ['w2', 1],
      ['w9', 1],
    ]);
    const expected = index.searchSync([query], 30);
    const searching = Array.from({ length: 20 }, () => index.search([query], 30));
    const removing = index.remove(corpus.keys());
    for (const found of await Promise.all(searching)) expect(found).toEqual(expected);
    expect(await removing).toBe(0);
    expect(index.searchSync([query], 30)[0]!.ids.length).toBe(0);
  });

  it('applies changes in the order of the calls, in either form', async () => {
    const index = new LexicalIndex();
    const a = new Map([['a', 1]]);
    const pending = [index.add([[1, a]]), index.remove([1]), index.add([[2, a]])];
    expect(index.addSync([[3, a]])).toBe(2);
    const last = index.remove([2]);
    await Promise.all(pending);
    expect(await last).toBe(1);
    expect([...index.searchSync([['a']], 9)[0]!.ids]).toEqual([3]);
  });

  it('stops when the signal aborts', async () => {
    const index = indexOf(randomCorpus(50, 10, seeded(8)));
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    await expect(index.search([['w1']], 5, { signal })).rejects.toThrow('no longer wanted');
  });
});

const wrong = <T>(value: unknown) => value as T;
const index = indexOf(new Map([[1, new Map([['a', 1]])]]));

describe('LexicalIndex refuses', () => {
  const cases: [what: string, act: () => unknown, code: string, message: string][] = [
    [
      'an unknown model',
      () => new LexicalIndex({ model: wrong('bm42') }),
      'ERR_INVALID_ARGUMENT',
      'model: expected one of bm25, tf-idf, got "bm42"',
    ],
    [
      'a negative k1',
      () => new LexicalIndex({ k1: -1 }),
      'ERR_OUT_OF_RANGE',
      'k1: expected a number from 0 to 1000, got -1',
    ],
    [
      'b above 1',
      () => new LexicalIndex({ b: 1.5 }),
      'ERR_OUT_OF_RANGE',
      'b: expected a number from 0 to 1, got 1.5',
    ],
    [
      'a fractional id',
      () => index.addSync([[0.5, new Map()]]),
      'ERR_OUT_OF_RANGE',
      'documents[0]: expected a whole number from 0 to 4294967295, got 0.5',
    ],
    [
      'terms that are no Map',
      () => index.addSync([[2, wrong(['a'])]]),
      'ERR_INVALID_ARGUMENT',
      'documents[0]: expected a Map of term frequencies, got an array of 1',
    ],
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e-60].map(
      (tf): [string, () => unknown, string, string] => [
        `a frequency of ${tf}`,
        () => index.addSync([[2, new Map([['b', tf]])]]),
        'ERR_OUT_OF_RANGE',
        `documents[0] "b": expected a number above 0 and at most 1000000, got ${tf}`,
      ],
    ),
    [
      'no documents',
      () => index.addSync(wrong(undefined)),
      'ERR_INVALID_ARGUMENT',
      'documents: expected pairs of id and terms, got undefined',
    ],
    [
      'a removal of something else',
      () => index.removeSync(wrong(['1'])),
      'ERR_OUT_OF_RANGE',
      'ids[0]: expected a whole number from 0 to 4294967295, got "1"',
    ],
    [
      'one query without its array',
      () => index.searchSync(wrong('a b'), 1),
      'ERR_INVALID_ARGUMENT',
      'queries: expected an array of queries, got "a b"',
    ],
    [
      'an untokenised query',
      () => index.searchSync(['a b'], 1),
      'ERR_INVALID_ARGUMENT',
      'queries[0]: expected terms, or a Map of their weights, got "a b"',
    ],
    [
      'a negative weight',
      () => index.searchSync([['a'], new Map([['b', -1]])], 1),
      'ERR_OUT_OF_RANGE',
      'queries[1] "b": expected a number from 0 to 1000000, got -1',
    ],
    [
      'too many terms',
      () => index.searchSync([Array.from({ length: 5_000 }, (_, i) => `${i}`)], 1),
      'ERR_OUT_OF_RANGE',
      'queries[0]: expected at most 4096 different terms, got 5000',
    ],
    [
      'm = 0',
      () => index.searchSync([['a']], 0),
      'ERR_OUT_OF_RANGE',
      'm: expected a whole number from 1 to 4294967295, got 0',
    ],
    [
      'a list in place of a bitmap',
      () => index.searchSync([['a']], 1, { allowed: wrong([1]) }),
      'ERR_INVALID_ARGUMENT',
      'allowed: expected a Uint32Array, got an array of 1',
    ],
  ];

  it.each(cases)('%s', (_what, act, code, message) => {
    let thrown: unknown;
    try {
      act();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'SkillspanError', code, message });
    expect(index.size).toBe(1);
  });

  it('in the asynchronous forms by rejecting', async () => {
    await expect(index.search([['a']], 0)).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await expect(index.add([[-1, new Map()]])).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await expect(index.remove([2 ** 32])).rejects.toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
    await expect(index.scoresFor(wrong('a'), [1])).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    });
  });
});
