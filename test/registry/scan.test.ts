import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegistry } from '../../lib/registry/registry.ts';
import { folderWith, skillText, temporaryFolder } from './helpers.ts';

const text = skillText('x');

/** Ids found below some folders of one temporary folder. */
async function idsBelow(folder: string, ...roots: string[]): Promise<string[]> {
  const { skills } = await readRegistry(roots.map((root) => join(folder, root)));
  return skills.map(({ id }) => id);
}

describe('skill files are found', () => {
  it('in every spelling, nested, and sorted by id', async () => {
    const folder = folderWith({
      'skills/web/skill.md': text,
      'skills/Zip/Skill.md': text,
      'skills/web/css/SKILL.md': text,
      'skills/web/references/README.md': text,
      'skills/_draft/SKILL.MD': text,
    });
    expect(await idsBelow(folder, 'skills')).toEqual([
      'skills/Zip',
      'skills/_draft',
      'skills/web',
      'skills/web/css',
    ]);
  });

  it('in the root itself', async () => {
    const folder = folderWith({ 'pdf/SKILL.md': text, 'pdf/forms/SKILL.md': text });
    expect(await idsBelow(folder, 'pdf')).toEqual(['pdf', 'pdf/forms']);
  });

  it('but not in node_modules and dot folders', async () => {
    const folder = folderWith({
      'skills/a/SKILL.md': text,
      'skills/.git/SKILL.md': text,
      'skills/a/node_modules/b/SKILL.md': text,
      'skills/.cache/b/SKILL.md': text,
    });
    expect(await idsBelow(folder, 'skills')).toEqual(['skills/a']);
  });

  it('in a dot folder that is itself a root', async () => {
    const folder = folderWith({ '.claude/skills/a/SKILL.md': text });
    expect(await idsBelow(folder, '.claude')).toEqual(['.claude/skills/a']);
  });

  // Elsewhere the three spellings are usually one file.
  it.skipIf(process.platform !== 'linux')('once a folder, SKILL.md first', async () => {
    const folder = folderWith({
      'skills/a/SKILL.MD': skillText('loud'),
      'skills/a/SKILL.md': skillText('right'),
      'skills/a/skill.md': skillText('quiet'),
    });
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills.map(({ name }) => name)).toEqual(['right']);
    expect(warnings).toEqual([
      {
        path: join(folder, 'skills/a'),
        line: 1,
        code: 'several-skill-files',
        message: 'SKILL.md was read, SKILL.MD, skill.md not',
      },
    ]);
  });
});

describe('symbolic links', () => {
  it('are followed, to folders and to files', async () => {
    const folder = folderWith({
      'skills/a/SKILL.md': text,
      'elsewhere/b/SKILL.md': text,
      'c.md': text,
    });
    symlinkSync(join(folder, 'elsewhere/b'), join(folder, 'skills/b'));
    mkdirSync(join(folder, 'skills/c'));
    symlinkSync(join(folder, 'c.md'), join(folder, 'skills/c/SKILL.md'));
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills.map(({ id }) => id)).toEqual(['skills/a', 'skills/b', 'skills/c']);
    expect(skills[1]?.path).toBe(join(folder, 'skills/b/SKILL.md'));
    expect(warnings).toEqual([]);
  });

  it('do not list a skill twice or enter a folder twice, and its real path wins', async () => {
    const folder = folderWith({ 'skills/z/deep/SKILL.md': text, 'skills/m/note.txt': '' });
    symlinkSync(join(folder, 'skills/z'), join(folder, 'skills/a'));
    symlinkSync(join(folder, 'skills/z/deep/SKILL.md'), join(folder, 'skills/m/SKILL.md'));
    symlinkSync(join(folder, 'gone'), join(folder, 'skills/z/gone'));
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills.map(({ id }) => id)).toEqual(['skills/z/deep']);
    expect(warnings.map(({ path }) => path)).toEqual([join(folder, 'skills/z/gone')]);
  });

  it('may form loops', async () => {
    const folder = folderWith({ 'skills/a/SKILL.md': text, 'skills/b/SKILL.md': text });
    symlinkSync(join(folder, 'skills'), join(folder, 'skills/a/up'));
    symlinkSync(join(folder, 'skills/b'), join(folder, 'skills/a/over'));
    symlinkSync(join(folder, 'skills/a'), join(folder, 'skills/b/back'));
    expect(await idsBelow(folder, 'skills')).toEqual(['skills/a', 'skills/b']);
  });

  it('do not lead out to the parents of a root', async () => {
    const folder = folderWith({ 'skills/a/SKILL.md': text, 'private/SKILL.md': text });
    symlinkSync(folder, join(folder, 'skills/a/up'));
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills.map(({ id }) => id)).toEqual(['skills/a']);
    expect(warnings).toMatchObject([{ code: 'link-to-parent', path: join(folder, 'skills/a/up') }]);
  });

  it('that lead nowhere, or to themselves, are reported', async () => {
    const folder = folderWith({ 'skills/a/SKILL.md': text });
    symlinkSync(join(folder, 'gone'), join(folder, 'skills/b'));
    symlinkSync(join(folder, 'skills/c'), join(folder, 'skills/c'));
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills).toHaveLength(1);
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ['unreadable', join(folder, 'skills/b')],
      ['unreadable', join(folder, 'skills/c')],
    ]);
  });
});

describe('several roots', () => {
  it('are told apart by their base names', async () => {
    const folder = folderWith({ 'team/web/SKILL.md': text, 'own/web/SKILL.md': text });
    expect(await idsBelow(folder, 'team', 'own')).toEqual(['own/web', 'team/web']);
  });

  it('get as many parents as tell them apart', async () => {
    const folder = folderWith({
      'x/one/skills/a/SKILL.md': text,
      'y/one/skills/a/SKILL.md': text,
      'y/two/skills/a/SKILL.md': text,
    });
    expect(await idsBelow(folder, 'x/one/skills', 'y/one/skills', 'y/two/skills')).toEqual([
      'two/skills/a',
      'x/one/skills/a',
      'y/one/skills/a',
    ]);
  });

  it('never give two skills one id', async () => {
    // With labels `skills`, `skills/web` and `other/web` the first two would both give `skills/web/css`.
    const folder = folderWith({
      'p/skills/web/css/SKILL.md': text,
      'q/skills/web/css/SKILL.md': text,
      'q/other/web/css/SKILL.md': text,
    });
    const ids = await idsBelow(folder, 'p/skills', 'q/skills/web', 'q/other/web');
    expect(ids).toEqual(['other/web/css', 'p/skills/web/css', 'q/skills/web/css']);
  });

  it('that are the same folder count once', async () => {
    const folder = folderWith({ 'skills/a/SKILL.md': text });
    symlinkSync(join(folder, 'skills'), join(folder, 'alias'));
    const roots = ['skills', 'skills/', 'alias'].map((root) => join(folder, root));
    const registry = await readRegistry(roots);
    expect(registry.roots).toEqual([join(folder, 'skills')]);
    expect(registry.skills.map(({ id }) => id)).toEqual(['skills/a']);
  });

  it.each([[['all', 'all/web']], [['all/web', 'all']]])(
    'own what no inner root owns: %j',
    async (roots) => {
      const folder = folderWith({ 'all/a/SKILL.md': text, 'all/web/css/SKILL.md': text });
      expect(await idsBelow(folder, ...roots)).toEqual(['all/a', 'web/css']);
    },
  );
});

describe('a root that is not there', () => {
  it('is an error that names it', async () => {
    const root = join(temporaryFolder(), 'missing');
    await expect(readRegistry(root)).rejects.toMatchObject({
      name: 'SkillspanError',
      code: 'ERR_REGISTRY_NOT_FOUND',
      message: `registry root ${root}: expected a folder, got nothing of that name`,
    });
  });

  it('or is a file is an error too', async () => {
    const root = join(folderWith({ 'SKILL.md': text }), 'SKILL.md');
    await expect(readRegistry(root)).rejects.toMatchObject({
      code: 'ERR_REGISTRY_NOT_FOUND',
      message: `registry root ${root}: expected a folder, got a file`,
    });
  });
});

// The superuser may read everything, so there nothing can be made unreadable.
it.skipIf(process.getuid?.() === 0)(
  'an unreadable folder or file does not stop the rest',
  async () => {
    const folder = folderWith({ 'skills/a/SKILL.md': text, 'skills/b/SKILL.md': text });
    mkdirSync(join(folder, 'skills/c'), { mode: 0o000 });
    chmodSync(join(folder, 'skills/b/SKILL.md'), 0o000);
    const { skills, warnings } = await readRegistry(join(folder, 'skills'));
    expect(skills.map(({ id }) => id)).toEqual(['skills/a']);
    expect(warnings.map(({ code }) => code)).toEqual(['unreadable', 'unreadable']);
  },
);

it('a file too large to be a skill does not stop the rest', async () => {
  const folder = folderWith({ 'skills/a/SKILL.md': text, 'skills/b/other.md': '' });
  writeFileSync(join(folder, 'skills/b/SKILL.md'), Buffer.alloc(16 * 1024 * 1024 + 1, 'x'));
  const { skills, warnings } = await readRegistry(join(folder, 'skills'));
  expect(skills.map(({ id }) => id)).toEqual(['skills/a']);
  expect(warnings).toMatchObject([
    { code: 'file-too-large', path: join(folder, 'skills/b/SKILL.md') },
  ]);
});

it('a tree without end is left at the depth that registries have', async () => {
  const deep = Array.from({ length: 80 }, (_, i) => `d${i}`);
  const folder = folderWith({
    'skills/a/SKILL.md': text,
    [`skills/${deep.slice(0, 40).join('/')}/SKILL.md`]: text,
    [`skills/${deep.join('/')}/SKILL.md`]: text,
  });
  const { skills, warnings } = await readRegistry(join(folder, 'skills'));
  expect(skills).toHaveLength(2);
  expect(warnings).toMatchObject([
    { code: 'registry-too-large', message: expect.stringContaining('64 folders deep') },
  ]);
});

it('a tree of 2,000 folders is read whole', async () => {
  const folder = temporaryFolder();
  for (let i = 0; i < 2_000; i++)
    mkdirSync(join(folder, `skills/${i % 100}/${i}`), { recursive: true });
  writeFileSync(join(folder, 'skills/42/1942/SKILL.md'), text);
  const { skills, warnings } = await readRegistry(join(folder, 'skills'));
  expect(skills.map(({ id }) => id)).toEqual(['skills/42/1942']);
  expect(warnings).toEqual([]);
});

it.skipIf(process.platform === 'win32')('names with tricks in them lead nowhere', async () => {
  const folder = temporaryFolder();
  const names = [
    '...',
    'a\nb',
    '..\\..\\etc',
    '%2e%2e',
    'a;rm -rf',
    '-rf',
    'c:',
    '\u202Egpj',
    '$HOME',
  ];
  for (const name of names) {
    mkdirSync(join(folder, 'skills', name), { recursive: true });
    writeFileSync(join(folder, 'skills', name, 'SKILL.md'), text);
  }
  const { skills } = await readRegistry(join(folder, 'skills'));
  // Those that begin with a dot are hidden folders.
  const seen = names.filter((name) => !name.startsWith('.'));
  expect(skills.map(({ id }) => id)).toEqual(seen.map((name) => `skills/${name}`).sort());
  for (const { path } of skills) expect(path.startsWith(join(folder, 'skills/'))).toBe(true);
});
