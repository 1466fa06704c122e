import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  fullCoverage,
  hitAt1,
  metricNames,
  ndcg,
  recall,
  reciprocalRank,
  scoreRankings,
} from '../../lib/eval/index.ts';

const log2 = Math.log2;

describe('metrics against values computed by hand', () => {
  const request = { gold: ['a', 'b'] };
  const ids = ['x', 'a', 'y', 'b', 'z'];

  it.each([
    ['Hit@1, first wrong', hitAt1(ids, request), 0],
    ['Hit@1, first right', hitAt1(['b', 'x'], request), 1],
    ['Hit@1 of nothing', hitAt1([], request), 0],
    ['MRR@1', reciprocalRank(ids, request, 1), 0],
    ['MRR@5: first gold at rank 2', reciprocalRank(ids, request, 5), 1 / 2],
    ['R@1', recall(ids, request, 1), 0],
    ['R@3', recall(ids, request, 3), 1 / 2],
    ['R@4', recall(ids, request, 4), 1],
    ['R@20 of a shorter list', recall(ids, request, 20), 1],
    ['FC@3', fullCoverage(ids, request, 3), 0],
    ['FC@4', fullCoverage(ids, request, 4), 1],
    ['nDCG@1', ndcg(ids, request, 1), 0],
    ['nDCG@3', ndcg(ids, request, 3), 1 / log2(3) / (1 + 1 / log2(3))],
    ['nDCG@4', ndcg(ids, request, 4), (1 / log2(3) + 1 / log2(5)) / (1 + 1 / log2(3))],
    ['nDCG@1, more gold than places', ndcg(['a'], request, 1), 1],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBeCloseTo(expected, 12);
  });

  it('takes grades as linear gains, of skills that are not gold too', () => {
    const graded = {
      gold: ['a'],
      relevance: new Map([
        ['a', 3],
        ['degraded', 1],
      ]),
    };
    const ideal = 3 + 1 / log2(3);
    expect(ndcg(['degraded', 'a'], graded, 2)).toBeCloseTo((1 + 3 / log2(3)) / ideal, 12);
    expect(ndcg(['a', 'x'], graded, 2)).toBeCloseTo(3 / ideal, 12);
    expect(recall(['degraded'], graded, 1)).toBe(0);
    expect(ndcg(['a'], { gold: ['a'], relevance: new Map([['a', 0]]) }, 1)).toBe(0);
  });

  it('scores each k by its own ranking, and Hit@1 by the last', () => {
    const names = metricNames([1, 2]);
    expect(names).toEqual([
      ...['Hit@1', 'MRR@1', 'R@1', 'FC@1', 'nDCG@1'],
      ...['MRR@2', 'R@2', 'FC@2', 'nDCG@2'],
    ]);
    const scores = scoreRankings([['x'], ['a', 'b']], request, [1, 2]);
    expect([...scores]).toEqual([1, 0, 0, 0, 0, 1, 1, 1, 1]);
  });
});

describe('metrics of any ranking', () => {
  const id = fc.constantFrom(...'abcdefghijkl');
  const ranking = fc.uniqueArray(id, { maxLength: 12 });
  const gold = fc.uniqueArray(id, { minLength: 1, maxLength: 5 });
  const k = fc.integer({ min: 1, max: 15 });

  it('lie in [0, 1], grow with k, and full coverage is full recall', () => {
    fc.assert(
      fc.property(ranking, gold, k, (ids, gold, k) => {
        const request = { gold };
        for (const metric of [reciprocalRank, recall, fullCoverage, ndcg]) {
          expect(metric(ids, request, k)).toBeGreaterThanOrEqual(0);
          expect(metric(ids, request, k)).toBeLessThanOrEqual(1 + 1e-12);
        }
        for (const metric of [reciprocalRank, recall, fullCoverage]) {
          expect(metric(ids, request, k + 1)).toBeGreaterThanOrEqual(metric(ids, request, k));
        }
        expect(fullCoverage(ids, request, k) === 1).toBe(recall(ids, request, k) === 1);
        expect(hitAt1(ids, request)).toBe(reciprocalRank(ids, request, 1));
      }),
    );
  });

  it('do not see what lies behind k, nor for recall the order before it', () => {
    fc.assert(
      fc.property(ranking, gold, k, (ids, gold, k) => {
        const request = { gold };
        for (const metric of [reciprocalRank, recall, fullCoverage, ndcg]) {
          expect(metric(ids.slice(0, k), request, k)).toBe(metric(ids, request, k));
        }
        const turned = [...ids.slice(0, k)].reverse();
        expect(recall(turned, request, k)).toBe(recall(ids, request, k));
      }),
    );
  });

  it('nDCG is 1 for the ideal order alone', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(id, fc.integer({ min: 1, max: 5 })), {
          minLength: 1,
          maxLength: 8,
          selector: ([id]) => id,
        }),
        (grades) => {
          const sorted = [...grades].sort((a, b) => b[1] - a[1]);
          const request = { gold: [sorted[0]![0]], relevance: new Map(grades) };
          const ideal = sorted.map(([id]) => id);
          expect(ndcg(ideal, request, 8)).toBeCloseTo(1, 12);
          const isWorse = sorted.at(-1)![1] < sorted[0]![1];
          if (isWorse) expect(ndcg([...ideal].reverse(), request, 8)).toBeLessThan(1);
        },
      ),
    );
  });
});
