import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CachedEncoder } from '../../lib/eval/cached-encoder.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const query = { kind: 'query' } as const;

describe('an encoder that keeps what it has embedded', () => {
  it('embeds each query once, across processes too, and documents as they come', async () => {
    const dir = await temporaryFolder();
    const inner = new WordEncoder();
    const first = await CachedEncoder.open(inner, dir);
    const vectors = await first.encode(['one', 'two', 'one'], query);
    expect(vectors).toEqual(await new WordEncoder().encode(['one', 'two', 'one']));
    await first.encode(['two'], query);
    await first.encode(['two', 'two'], { kind: 'document' });
    expect(inner.encoded).toEqual(['one', 'two', 'two', 'two']);
    await first.dispose();
    expect(inner.disposed).toBe(false);

    const again = new WordEncoder();
    const second = await CachedEncoder.open(again, dir);
    expect(await second.encode(['one', 'two', 'one'], query)).toEqual(vectors);
    expect(again.encoded).toEqual([]);
    expect(second.problem).toBeUndefined();
  });

  it('knows what queries cost in this process, and not what they cost in another', async () => {
    const dir = await temporaryFolder();
    const first = await CachedEncoder.open(new WordEncoder(), dir);
    expect(first.takeCost()).toBeUndefined();
    await first.encode(['one', 'two'], query);
    const both = first.takeCost()!;
    expect(both).toBeGreaterThan(0);
    expect(first.takeCost()).toBeUndefined();
    await first.encode(['one'], query);
    expect(first.takeCost()).toBeCloseTo(both / 2, 9);
    await first.save();

    const second = await CachedEncoder.open(new WordEncoder(), dir);
    await second.encode(['one', 'three'], query);
    expect(second.takeCost()).toBeUndefined();
  });

  it('goes on, and says so, where it cannot save', async () => {
    const file = join(await temporaryFolder(), 'a-file');
    await writeFile(file, '');
    const encoder = await CachedEncoder.open(new WordEncoder(), join(file, 'cache'));
    await encoder.encode(['one'], query);
    await encoder.save();
    expect(encoder.problem).toContain(file);
  });
});
