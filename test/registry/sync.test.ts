import { chmod, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openRoots } from '../../lib/registry/roots.ts';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { syncStore } from '../../lib/registry/sync.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

let root: string;
let store: SkillStore;
let encoder: WordEncoder;

beforeEach(async () => {
  root = join(await temporaryFolder(), 'reg');
  encoder = new WordEncoder();
  store = SkillStore.open(join(root, '.skillspan'));
  await writeTree(root, {
    'a/SKILL.md': skillText('a', 'first of all'),
    'b/SKILL.md': skillText('b', 'second to none'),
  });
});

const sync = async () => syncStore(store, await openRoots([root]), { encoder });
const counts = async () => {
  const { added, changed, removed, unchanged, skipped, embedded } = await sync();
  return { added, changed, removed, unchanged, skipped, embedded };
};
const nothing = { added: 0, changed: 0, removed: 0, unchanged: 0, skipped: 0, embedded: 0 };
const skills = () => {
  const reader = store.reader();
  const all = reader.rowsAfter(-1).map((row) => ({ row, ...reader.skill(row) }));
  reader.close();
  return all;
};
const write = (path: string, text: string) => writeTree(root, { [path]: text });

describe('synchronising a store with folders', () => {
  it('counts what is new, changed, gone and as it was, and embeds only what it must', async () => {
    expect(await counts()).toEqual({ ...nothing, added: 2, embedded: 2 });
    const before = store.change;
    expect(await counts()).toEqual({ ...nothing, unchanged: 2 });
    expect(store.change).toBe(before);

    await write('b/SKILL.md', skillText('b', 'second, and changed'));
    await write('c/SKILL.md', skillText('c', 'third in line'));
    await rm(join(root, 'a'), { recursive: true });
    const expected = { ...nothing, added: 1, changed: 1, removed: 1, embedded: 2 };
    expect(await counts()).toEqual(expected);
    expect(
      skills()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['reg/b', 'reg/c']);
    expect(store.change).toBe(before + 1);
  });

  it('takes another date of the same content for no change', async () => {
    await sync();
    const before = store.change;
    await utimes(join(root, 'a/SKILL.md'), new Date(), new Date(1e12));
    expect(await counts()).toEqual({ ...nothing, unchanged: 2 });
    expect(store.change).toBe(before);
  });

  it('does not trust a date so near that it could hide a change', async () => {
    await sync();
    const path = join(root, 'a/SKILL.md');
    const now = new Date();
    await utimes(path, now, now);
    await sync();
    await writeFile(path, skillText('a', 'first of ALL'));
    await utimes(path, now, now);
    expect(await counts()).toEqual({ ...nothing, unchanged: 1, changed: 1, embedded: 1 });
  });

  it('keeps one skill for the same content in several places, called after the first', async () => {
    await write('z/SKILL.md', skillText('a', 'first of all'));
    expect(await counts()).toEqual({ ...nothing, added: 3, embedded: 2 });
    const [first] = skills();
    expect(first).toMatchObject({ id: 'reg/a', name: 'a' });
    expect(first!.locations.map(({ id }) => id)).toEqual(['reg/a', 'reg/z']);
    const reader = store.reader();
    expect(reader.rowOf('reg/z')).toBe(first!.row);
    reader.close();

    await rm(join(root, 'a'), { recursive: true });
    expect(await counts()).toEqual({ ...nothing, removed: 1, unchanged: 2 });
    expect(skills().map(({ row, id }) => ({ row, id }))).toContainEqual({
      row: first!.row,
      id: 'reg/z',
    });
  });

  it('keeps two skills for one name with different content', async () => {
    await write('z/SKILL.md', skillText('a', 'quite another one'));
    await sync();
    expect(skills().map(({ id, name }) => [id, name])).toEqual([
      ['reg/a', 'a'],
      ['reg/b', 'b'],
      ['reg/z', 'a'],
    ]);
  });

  it('gives the row of a skill that is gone to the next one', async () => {
    await sync();
    const gone = skills().find(({ id }) => id === 'reg/a')!.row;
    await rm(join(root, 'a'), { recursive: true });
    await sync();
    await write('n/SKILL.md', skillText('n', 'a new one'));
    await sync();
    expect(skills().find(({ id }) => id === 'reg/n')!.row).toBe(gone);
  });

  it('moves a folder without embedding it again', async () => {
    await sync();
    await rename(join(root, 'a'), join(root, 'moved'));
    expect(await counts()).toEqual({ ...nothing, added: 1, removed: 1, unchanged: 1 });
  });

  it('keeps the last good version of a file that broke, and says so until it is mended', async () => {
    await sync();
    await write('a/SKILL.md', '---\nname: a\n---\n');
    for (let time = 0; time < 2; time++) {
      const { warnings, skipped, unchanged } = await sync();
      expect({ skipped, unchanged }).toEqual({ skipped: 0, unchanged: 2 });
      expect(warnings.map(({ code }) => code).sort()).toEqual(['empty-skill', 'kept-last-good']);
    }
    expect(skills().find(({ id }) => id === 'reg/a')).toMatchObject({
      description: 'first of all',
    });
    await write('a/SKILL.md', skillText('a', 'mended'));
    expect((await sync()).warnings).toEqual([]);
    expect(skills().find(({ id }) => id === 'reg/a')).toMatchObject({ description: 'mended' });
  });

  it('says of a file that gives no skill why, the second time too', async () => {
    await write('bad/SKILL.md', '');
    for (let time = 0; time < 2; time++) {
      const report = await sync();
      expect(report.skipped).toBe(1);
      const warning = { path: join(root, 'bad/SKILL.md'), code: 'empty-skill' };
      expect(report.warnings).toContainEqual(expect.objectContaining(warning));
    }
  });

  it.skipIf(process.getuid?.() === 0)('keeps what lies in a folder it cannot read', async () => {
    await sync();
    await chmod(join(root, 'a'), 0);
    expect(await counts()).toMatchObject({ removed: 0 });
    await chmod(join(root, 'a'), 0o755);
    expect(skills()).toHaveLength(2);
  });

  it('forgets the vectors of texts that no skill has', async () => {
    await sync();
    const { size } = store.embeddings(encoder);
    expect(size).toBe(2);
    await write('a/SKILL.md', skillText('a', 'other words'));
    await sync();
    expect(store.embeddings(encoder).size).toBe(2);
  });

  it('plans anew where somebody else wrote while it was embedding', async () => {
    await sync();
    await write('c/SKILL.md', skillText('c', 'from this one'));
    const other = SkillStore.open(join(root, '.skillspan'));
    let interfered = false;
    const meddling = {
      ...{ dim: encoder.dim, fingerprint: encoder.fingerprint, dispose: async () => {} },
      encode: async (texts: readonly string[]) => {
        if (!interfered) {
          interfered = true;
          await write('d/SKILL.md', skillText('d', 'from the other'));
          await rm(join(root, 'b'), { recursive: true });
          await syncStore(other, await openRoots([root]), { encoder: new WordEncoder() });
        }
        return encoder.encode(texts);
      },
    };
    await syncStore(store, await openRoots([root]), { encoder: meddling });
    expect(
      skills()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(['reg/a', 'reg/c', 'reg/d']);
    other.close();
  });

  it('names skills anew when the folders given are others', async () => {
    await mkdir(join(root, 'more/reg'), { recursive: true });
    await sync();
    await syncStore(store, await openRoots([root, join(root, 'more/reg')]), { encoder });
    const above = basename(dirname(root));
    expect(skills().map(({ id }) => id)).toEqual([`${above}/reg/a`, `${above}/reg/b`]);
    await syncStore(store, await openRoots([join(root, 'b')]), { encoder });
    expect(skills().map(({ id }) => id)).toEqual(['b']);
  });
});
