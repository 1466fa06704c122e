import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Filter, type Skill, SkillRouter } from '../../lib/index.ts';
import { contentHash } from '../../lib/registry/skill-file.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const COUNT = 400;

function skillOf(i: number): Skill {
  const name = `skill-${i}`;
  const description = `task ${['mail', 'pdf', 'table', 'search'][i % 4]} number${i}`;
  const metadata = {
    rare: i === 123,
    tags: i % 2 === 0 ? ['even', `by${i % 100}`] : 'odd, ungerade',
    metadata: { author: `author${i % 10}`, level: i % 3 },
  };
  const content = { name, description, body: '' };
  return {
    ...content,
    id: name,
    path: `/skills/${i}/SKILL.md`,
    metadata,
    contentHash: contentHash(content),
  };
}

const skills = Array.from({ length: COUNT }, (_, i) => skillOf(i));
let router: SkillRouter;
const request = 'task mail number7 and pdf number123, then search the table';

beforeAll(async () => {
  const options = { encoder: new WordEncoder(), cacheDir: await temporaryFolder() };
  router = await SkillRouter.from(skills, options);
});

const answer = async (where: Filter, k = 20) =>
  (await router.route(request, { where, k })).skills.map(({ id }) => id);

describe('filters', () => {
  it.each<[string, Filter, (i: number) => boolean]>([
    ['one skill of 400', { metadata: { rare: true } }, (i) => i === 123],
    ['one in a hundred', { tags: ['by6'] }, (i) => i % 100 === 6],
    ['half', { tags: ['even'] }, (i) => i % 2 === 0],
    ['tags as one text', { tags: ['ungerade'] }, (i) => i % 2 === 1],
    ['one of two tags', { tags: ['by6', 'by8'] }, (i) => i % 100 === 6 || i % 100 === 8],
    ['a field below metadata', { metadata: { author: 'author3' } }, (i) => i % 10 === 3],
    ['one of two values', { metadata: { level: [0, 1] } }, (i) => i % 3 < 2],
    ['all that is asked for', { tags: ['even'], metadata: { level: 1 } }, (i) => i % 6 === 4],
    ['nothing', { tags: ['nowhere'] }, () => false],
    ['no tags at all', { tags: [] }, () => false],
    ['anything', {}, () => true],
  ])('let through %s, and answer as a router over those alone would', async (_, where, passes) => {
    const left = skills.filter((_, i) => passes(i));
    const found = await answer(where);
    expect(found.length).toBe(Math.min(20, left.length));
    for (const id of found) expect(left.map((skill) => skill.id)).toContain(id);
    // The best by embedding alone are those of a scan over what is left.
    const only = { method: 'topk', retriever: 'dense', facets: false, k: 10 } as const;
    const { skills: best } = await router.route(request, { ...only, where });
    if (left.length === 0) return;
    const cacheDir = await temporaryFolder();
    const small = await SkillRouter.from(left, { encoder: new WordEncoder(), cacheDir });
    const expected = (await small.route(request, only)).skills;
    expect(best.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  });

  it('go together with allowed and excluded ids, whatever they are', async () => {
    const id = fc.nat(COUNT - 1).map((i) => `skill-${i}`);
    const ids = fc.uniqueArray(id, { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        fc.option(ids, { nil: undefined }),
        ids,
        fc.option(fc.constantFrom('even', 'odd', 'by6'), { nil: undefined }),
        async (allowed, excluded, tag) => {
          const where = tag === undefined ? {} : { tags: [tag] };
          const options = { excluded, where, ...(allowed && { allowed }) };
          const result = await router.route(request, { ...options, k: 500, candidates: 500 });
          const expected = skills.filter(({ id, metadata }) => {
            const { tags } = metadata as { tags: string | string[] };
            return (
              !excluded.includes(id) &&
              (!allowed || allowed.includes(id)) &&
              (tag === undefined || tags.includes(tag))
            );
          });
          expect(result.skills.map(({ id }) => id).sort()).toEqual(
            expected.map(({ id }) => id).sort(),
          );
        },
      ),
      { numRuns: 40 },
    );
  });

  it('by folder see the place that lies in it, and no other', async () => {
    const root = join(await temporaryFolder(), 'reg');
    await writeTree(root, {
      'a/mail/SKILL.md': skillText('mail', 'write an email'),
      'b/mail/SKILL.md': skillText('mail', 'write an email'),
      'b/pdf/SKILL.md': skillText('pdf', 'read a pdf'),
      'bb/SKILL.md': skillText('other', 'something else'),
    });
    const watched = await SkillRouter.open({ registry: root, encoder: new WordEncoder() });
    const inside = async (...folders: string[]) =>
      (await watched.route('write an email', { where: { folders } })).skills
        .map(({ id, path }) => [id, path])
        .sort();
    const at = (id: string) => [`reg/${id}`, join(root, id, 'SKILL.md')];
    expect(await inside(join(root, 'b'))).toEqual([at('b/mail'), at('b/pdf')]);
    expect(await inside(join(root, 'a'))).toEqual([at('a/mail')]);
    expect(await inside(root)).toEqual([at('a/mail'), at('b/pdf'), at('bb')]);
    expect(await inside(join(root, 'c'))).toEqual([]);
    await watched.dispose();
  });

  it('let no skill in that a permitted one requires, and that is not permitted itself', async () => {
    const needy = { ...skillOf(1), metadata: { tags: 'in', requires: 'skill-2' } };
    const needed = { ...skillOf(2), metadata: { tags: 'out' } };
    const options = { encoder: new WordEncoder(), cacheDir: await temporaryFolder() };
    const two = await SkillRouter.from([needy, needed], options);
    const ids = async (where: Filter) =>
      (await two.route('task pdf number1', { where, k: 1 })).skills.map(({ id }) => id).sort();
    expect(await ids({})).toEqual(['skill-1', 'skill-2']);
    expect(await ids({ tags: ['in'] })).toEqual(['skill-1']);
  });

  it.each<[Filter, string]>([
    [{ tag: ['x'] } as never, 'where: expected some of tags, folders, metadata, got "tag"'],
    [{ tags: 'x' } as never, 'where.tags: expected texts, got "x"'],
    [{ metadata: { a: null } } as never, 'where.metadata.a: expected a text, number or boolean'],
  ])('that make no sense are refused: %j', async (where, message) => {
    await expect(router.route(request, { where })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: expect.stringContaining(message),
    });
  });
});
