import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { nativeInfo } from '../../lib/index.ts';
import { findNeighbourhoods } from '../../lib/pages/neighbourhoods.ts';

/** AgglomerativeClustering(metric='cosine', linkage='average', distance_threshold) of scikit-learn 1.2.1. */
interface Golden {
  readonly threshold: number;
  readonly rows: readonly (readonly number[])[];
  readonly labels: readonly number[];
}

const golden = JSON.parse(
  readFileSync(new URL('../golden/agglomerative.json', import.meta.url), 'utf8'),
) as readonly Golden[];

/** The rows of each label that at least two of them have, by their lowest. */
function groupsOf(labels: readonly number[]): number[][] {
  const groups = new Map<number, number[]>();
  for (const [row, label] of labels.entries()) {
    groups.set(label, [...(groups.get(label) ?? []), row]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

if (nativeInfo().isa === 'javascript') {
  it('the baseline says that it does not cluster', async () => {
    const clustering = findNeighbourhoods(new Float32Array([1, 0]), { dim: 2 });
    await expect(clustering).rejects.toMatchObject({ code: 'ERR_NATIVE_LOAD' });
  });
} else {
  it.each(golden.map((one) => [one.rows.length, one.threshold, one] as const))(
    'neighbourhoods are the clusters of scikit-learn: %i rows cut at %d',
    async (n, distance, { rows, labels }) => {
      const { groups, singles } = await findNeighbourhoods(Float32Array.from(rows.flat()), {
        dim: rows[0]!.length,
        buckets: 1,
        distance,
        minSize: 2,
        maxSize: 100,
      });
      expect(groups).toEqual(groupsOf(labels));
      expect(singles.length).toBe(n - groups.flat().length);
    },
  );
}
