import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SkillRouter } from '../../lib/index.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { seeded } from '../support/vectors.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const request = 'number seven of the pdf skills, and one that sends mail';
let root: string;
let cache: string;
let right: unknown;

const open = (encoder = new WordEncoder()) => SkillRouter.open({ registry: root, encoder });

async function answer(router: SkillRouter): Promise<unknown> {
  const { skills } = await router.route(request, { k: 5 });
  return skills.map(({ id, score, words }) => ({ id, score, words }));
}

async function indexFiles(kind: string): Promise<string[]> {
  const names = await readdir(cache);
  return names.filter((name) => name.startsWith(kind)).map((name) => join(cache, name));
}

beforeAll(async () => {
  root = join(await temporaryFolder(), 'reg');
  cache = join(root, '.skillspan');
  const files = Array.from({ length: 60 }, (_, i) => {
    const what = i % 2 ? 'reads a pdf' : 'sends mail';
    return [`s${i}/SKILL.md`, skillText(`s${i}`, `${what}, number ${i}`, `body ${i} `.repeat(9))];
  });
  await writeTree(root, Object.fromEntries(files));
  const router = await open();
  right = await answer(router);
  await router.dispose();
});

describe.each(['vectors', 'words'])('the index file of %s', (kind) => {
  it('is written once, and used when the store is opened again', async () => {
    const files = await indexFiles(kind);
    expect(files).toHaveLength(1);
    const encoder = new WordEncoder();
    const router = await open(encoder);
    expect(encoder.encoded).toEqual([]);
    expect(router.report.cacheProblem).toBeUndefined();
    expect(await answer(router)).toEqual(right);
    await router.dispose();
    expect(await indexFiles(kind)).toEqual(files);
  });

  it('is rebuilt without the encoder where any byte of it is damaged, or it is cut short', async () => {
    const random = seeded(11);
    const [file] = await indexFiles(kind);
    const intact = await readFile(file!);
    let noticed = 0;
    for (let trial = 0; trial < 40; trial++) {
      let bytes = Buffer.from(intact);
      if (trial < 30) bytes[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
      else bytes = bytes.subarray(0, Math.floor(random() * bytes.length));
      await writeFile(file!, bytes);
      const encoder = new WordEncoder();
      const router = await open(encoder);
      if (router.report.cacheProblem) {
        noticed += 1;
        expect(router.report.cacheProblem).toContain(file);
      }
      expect(await answer(router)).toEqual(right);
      expect(encoder.encoded.filter((text) => text.includes(' | '))).toEqual([]);
      await router.dispose();
      expect(await indexFiles(kind)).toEqual([file]);
      // Damage between two sections, where there are zeros, harms nobody.
      if (trial >= 30) expect(router.report.cacheProblem).toBeDefined();
    }
    expect(noticed).toBeGreaterThan(30);
  });

  it('of another store is not taken for its own', async () => {
    const [file] = await indexFiles(kind);
    const other = join(await temporaryFolder(), 'reg');
    await writeTree(other, { 'x/SKILL.md': skillText('x', 'quite another skill') });
    await (await SkillRouter.open({ registry: other, encoder: new WordEncoder() })).dispose();
    const names = await readdir(join(other, '.skillspan'));
    const own = names.find((name) => name.startsWith(kind))!;
    await writeFile(join(other, '.skillspan', own), await readFile(file!));
    const router = await SkillRouter.open({ registry: other, encoder: new WordEncoder() });
    expect(router.report.cacheProblem).toContain('60 rows for 1 skills');
    expect((await router.route('another skill')).skills.map(({ id }) => id)).toEqual(['reg/x']);
    await router.dispose();
  });
});
