import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SkillRouter, type SyncReport } from '../../lib/index.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const inFull = process.env.SKILLSPAN_TEST_IN_FULL === '1';

let root: string;
let router: SkillRouter;
let encoder: WordEncoder;
const reports: SyncReport[] = [];
const problems: Error[] = [];

const letters = (n: number) => [...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
const word = (skill: number, version: number) => `skill${letters(skill)}version${letters(version)}`;
const file = (skill: number) => join(root, `s${skill}/SKILL.md`);
const text = (skill: number, version: number) =>
  skillText(`s${skill}`, `${word(skill, version)} does its work`);

beforeEach(async () => {
  root = join(await temporaryFolder(), 'reg');
  const skills = Array.from({ length: 50 }, (_, i) => [`s${i}/SKILL.md`, text(i, 0)] as const);
  await writeTree(root, Object.fromEntries(skills));
  encoder = new WordEncoder();
  router = await SkillRouter.open({ registry: root, encoder });
  reports.length = 0;
  problems.length = 0;
  await router.watch({
    onSync: (report) => reports.push(report),
    onProblem: (problem) => problems.push(problem),
  });
});

afterEach(() => router.dispose());

/** The skill that a word of a certain version finds; undefined where no skill has the word. */
async function finds(what: string): Promise<string | undefined> {
  const { trace } = await router.route(what, { retriever: 'bm25', k: 1 });
  const hit = trace.pool.find(({ words }) => words > 0);
  return hit && router.skill(hit.id)?.description;
}

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await setTimeout(10);
}

describe('a router that watches its folders', () => {
  it('takes over what comes, changes and goes, and embeds no more than that', async () => {
    encoder.encoded.length = 0;
    await writeFile(file(7), text(7, 1));
    await until(async () => (await finds(word(7, 1))) !== undefined);
    expect(await finds(word(7, 0))).toBeUndefined();
    await writeTree(root, { 'deep/down/new/SKILL.md': skillText('new', 'brandnew thing') });
    await until(async () => router.size === 51);
    expect(router.skill('reg/deep/down/new')).toMatchObject({ description: 'brandnew thing' });
    await rm(join(root, 's8'), { recursive: true });
    await until(async () => router.size === 50);
    expect(await finds(word(8, 0))).toBeUndefined();
    const documents = encoder.encoded.filter((one) => one.includes(' | '));
    expect(documents).toEqual([`s7 | ${word(7, 1)} does its work | `, 'new | brandnew thing | ']);
    expect(problems).toEqual([]);
  });

  it('keeps the last good version of a file that breaks, and reports it', async () => {
    await writeFile(file(3), '---\nname: s3\n---\n');
    await until(async () => reports.some(({ warnings }) => warnings.length > 0));
    const codes = reports.flatMap(({ warnings }) => warnings.map(({ code }) => code));
    expect(codes).toContain('kept-last-good');
    expect(await finds(word(3, 0))).toContain(word(3, 0));
    await writeFile(file(3), text(3, 1));
    await until(async () => (await finds(word(3, 1))) !== undefined);
  });

  it('goes on where a text cannot be embedded, and says so', async () => {
    const { encode } = encoder;
    encoder.encode = async () => Promise.reject(new Error('out of order'));
    await writeFile(file(4), text(4, 1));
    await until(async () => problems.length > 0);
    expect(problems[0]!.message).toBe('out of order');
    encoder.encode = encode;
    expect(await finds(word(4, 0))).toContain(word(4, 0));
  });

  it('answers from nothing once all skills are gone, and again when there are some', async () => {
    for (let i = 0; i < 50; i++) await rm(join(root, `s${i}`), { recursive: true });
    await until(async () => router.size === 0);
    const { skills, noMatch } = await router.route('does its work');
    expect(skills).toEqual([]);
    expect(noMatch).toMatchObject({ reason: 'no skill may be chosen' });
    await writeTree(root, { 's1/SKILL.md': text(1, 5) });
    await until(async () => router.size === 1);
    expect(await finds(word(1, 5))).toContain(word(1, 5));
  });

  it('shows no request anything mixed while many files change', async () => {
    const changes = inFull ? 1_000 : 100;
    const versions = new Array<number>(50).fill(0);
    const asked: Promise<void>[] = [];
    const started = performance.now();
    let isOver = false;
    let served = 0;
    // One request a millisecond, whatever becomes of those before it.
    const asking = (async () => {
      for (let n = 0; !isOver; n++) {
        while (performance.now() - started < n) await setTimeout(1);
        const skill = n % 50;
        const version = versions[skill]!;
        const request = word(skill, version);
        asked.push(
          router.route(request, { k: 5, retriever: 'hybrid' }).then(({ skills, trace }) => {
            served += 1;
            const hits = trace.pool.filter(({ words }) => words > 0);
            // Its text, its words and its vector are of one version: this one, or another.
            if (hits.length > 1) throw new Error(`${hits.length} skills have ${request}`);
            for (const { id, description, words, similarity } of skills) {
              const own = id === `reg/s${skill}` && description === `${request} does its work`;
              if (own !== words > 0) throw new Error(`${description} for ${request}`);
              if (!own && similarity > 0.9) throw new Error(`${description} is like ${request}`);
            }
          }),
        );
      }
    })();
    for (let change = 0; change < changes; change++) {
      const skill = (change * 7) % 50;
      await writeFile(file(skill), text(skill, versions[skill]! + 1));
      versions[skill]! += 1;
      await setTimeout(3);
    }
    for (const [skill, version] of versions.entries()) {
      await until(async () => (await finds(word(skill, version))) !== undefined);
    }
    isOver = true;
    await asking;
    await Promise.all(asked);
    const seconds = (performance.now() - started) / 1000;
    if (inFull) console.log(`${served} requests in ${seconds.toFixed(1)} s, ${changes} changes`);
    expect(served).toBeGreaterThan(changes);
    expect(problems).toEqual([]);
  }, 300_000);
});
