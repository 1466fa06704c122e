import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { selectDiverse } from '../../lib/index.ts';

interface GoldenCase {
  name: string;
  lam: number;
  k: number;
  query: number[];
  embeddings: number[];
  quality: number[];
  greedyOrder: number[];
  gains: number[];
  filledByQuality: number[];
  ranked: number[];
}

const { cases } = JSON.parse(
  readFileSync(new URL('../golden/dsr.json', import.meta.url), 'utf8'),
) as { cases: GoldenCase[] };

describe('golden answers', () => {
  it.each(cases.map((c) => [c.name, c] as const))('%s', (_, golden) => {
    const selection = selectDiverse({
      query: Float32Array.from(golden.query),
      embeddings: Float32Array.from(golden.embeddings),
      quality: golden.quality,
      k: golden.k,
      lambda: golden.lam,
    });
    expect([...selection.order]).toEqual(golden.greedyOrder);
    expect([...selection.filled]).toEqual(golden.filledByQuality);
    expect([...selection.ranked]).toEqual(golden.ranked);
    expect(selection.gains.length).toBe(golden.gains.length);
    for (const [t, gain] of golden.gains.entries()) {
      expect(Math.abs(selection.gains[t]! - gain)).toBeLessThanOrEqual(1e-4 * Math.abs(gain));
    }
  });
});
