import { symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegistry } from '../../lib/registry/registry.ts';
import { folderWith, skillText, temporaryFolder } from './helpers.ts';

describe('a registry', () => {
  it('holds its skills and warnings', async () => {
    const folder = folderWith({
      'pdf/SKILL.md': '---\nname: pdf\ndescription: Use when: asked.\nlicense: MIT\n---\n# PDF\n',
      'web/SKILL.md': skillText('web'),
      'empty/SKILL.md': '',
      'link/SKILL.md': '../web/SKILL.md',
      'unnamed/SKILL.md': `---\ndescription: Odd.\n---\n\nBo\u200Bdy`,
    });
    symlinkSync(join(folder, 'gone'), join(folder, 'broken'));
    const registry = await readRegistry(folder);
    expect(registry.roots).toEqual([folder]);
    expect(registry.skills.map(({ name }) => name)).toEqual(['pdf', 'unnamed', 'web']);
    expect(registry.skills[0]).toEqual({
      id: expect.stringMatching(/^skillspan-\w+\/pdf$/),
      name: 'pdf',
      description: 'Use when: asked.',
      body: '# PDF',
      path: join(folder, 'pdf/SKILL.md'),
      metadata: { license: 'MIT' },
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const warnings = registry.warnings.map(({ path, line, code }) => [
      relative(folder, path),
      line,
      code,
    ]);
    expect(warnings).toEqual([
      ['broken', 1, 'unreadable'],
      ['empty/SKILL.md', 1, 'no-front-matter'],
      ['empty/SKILL.md', 1, 'empty-skill'],
      ['link/SKILL.md', 1, 'link-as-text'],
      ['pdf/SKILL.md', 3, 'yaml-repaired'],
      ['unnamed/SKILL.md', 2, 'name-missing'],
      ['unnamed/SKILL.md', 5, 'invisible-characters'],
    ]);
  });

  it('keeps skills of one name apart, and tells copies by their content', async () => {
    const folder = folderWith({
      'a/SKILL.md': skillText('web'),
      'b/SKILL.md': skillText('web'),
      'c/SKILL.md': `${skillText('web')}More.`,
    });
    const { skills, warnings } = await readRegistry(folder);
    expect(new Set(skills.map(({ id }) => id)).size).toBe(3);
    expect(skills[0]?.contentHash).toBe(skills[1]?.contentHash);
    expect(skills[0]?.contentHash).not.toBe(skills[2]?.contentHash);
    expect(warnings).toEqual([]);
  });

  it('may be empty', async () => {
    expect((await readRegistry(temporaryFolder())).skills).toEqual([]);
  });

  it('is the same every time, and larger than one batch of reads', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `skill-${index}`);
    const folder = folderWith(
      Object.fromEntries(names.map((name) => [`${name}/SKILL.md`, skillText(name)])),
    );
    const registry = await readRegistry(folder);
    expect(registry.skills.map(({ name }) => name)).toEqual([...names].sort());
    expect(await readRegistry(folder)).toEqual(registry);
  });

  it('survives bytes that are not text', async () => {
    const folder = folderWith({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': '' });
    writeFileSync(join(folder, 'b/SKILL.md'), Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3]));
    const { skills } = await readRegistry(folder);
    expect(skills[0]?.name).toBe('a');
  });
});

describe('reading', () => {
  it.each([[[]], [''], [['skills', '']], [7]])('rejects roots that are none: %j', async (roots) => {
    await expect(readRegistry(roots as string[])).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
    });
  });

  it('stops before it begins', async () => {
    const reason = new Error('changed my mind');
    await expect(
      readRegistry(temporaryFolder(), { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

  it('stops on the way', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `skill-${index}/SKILL.md`);
    const folder = folderWith(Object.fromEntries(names.map((name) => [name, skillText(name)])));
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const reading = readRegistry(folder, { signal: controller.signal });
    controller.abort(reason);
    await expect(reading).rejects.toBe(reason);
  });
});
