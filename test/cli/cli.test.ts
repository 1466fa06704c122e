import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { skillspan } from '../support/cli.ts';
import { temporaryFolder, writeTree } from '../support/registry-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let registry: string;

beforeAll(async () => {
  registry = join(await temporaryFolder(), 'skills');
  const documents = join(root, 'examples/skills/documents');
  await cp(documents, join(registry, 'documents'), { recursive: true });
  // The same text once more, under another licence.
  const scans = await readFile(join(documents, 'pdf-ocr-scans/SKILL.md'), 'utf8');
  await writeTree(registry, { 'copy/SKILL.md': scans.replace('\n---', '\nlicense: MIT\n---') });
});

describe('skillspan', () => {
  it('synchronises a folder, and embeds nothing the second time', async () => {
    const first = skillspan('sync', registry);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toBe(
      '8 added, 0 changed, 0 removed, 0 unchanged, 0 skipped; 0 warnings\n' +
        '8 skills: 7 texts embedded, 0 known\n' +
        `384 dimensions, kept in ${join(registry, '.skillspan')}\n`,
    );
    const second = JSON.parse(skillspan('sync', registry, '--json').stdout);
    expect(second).toMatchObject({
      skills: 8,
      embedded: 0,
      cached: 7,
      files: { added: 0, changed: 0, removed: 0, unchanged: 8, skipped: 0 },
    });
  });

  it('routes a request and prints rank, name, quality, step and what was kept out', () => {
    const { status, stdout, stderr } = skillspan(
      'route',
      'OCR for scanned images of paper pages',
      '--registry',
      registry,
      '-k',
      '2',
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const lines = stdout.split('\n');
    expect(lines[0]).toMatch(/^ #\s+skill\s+quality\s+score\s+step\s+id$/);
    expect(lines[1]).toMatch(/^ 1 {2}pdf-ocr-scans\s+1\.000\s+\d\.\d\d\s+1\s+skills\/copy$/);
    expect(stdout).toMatch(/^ {6}kept out pdf-ocr-scans \(overlap 1\.00\)$/m);
    expect(stdout).toMatch(
      /2 of 8 skills, from 8 candidates by dsr, lambda 0\.85; [\d.]+ ms to encode/,
    );
  });

  it('prints the whole result as JSON', () => {
    const { stdout } = skillspan(
      'route',
      'merge two pdf files',
      '--registry',
      registry,
      '--json',
      '--method',
      'mmr',
      '--lambda',
      '0.7',
      '-k',
      '3',
      '--candidates',
      '5',
    );
    const { skills, trace } = JSON.parse(stdout);
    expect(skills.length).toBe(3);
    expect(skills[0].name).toBe('pdf-merge-split');
    expect(trace).toMatchObject({ method: 'mmr', lambda: 0.7, k: 3, facets: [] });
    expect(trace.pool.length).toBeGreaterThanOrEqual(5);
  });

  it('explains facets, candidates and what was made of them', () => {
    const { stdout } = skillspan(
      'route',
      'Make the scanned pages searchable by OCR. Then merge them with the other pdf files',
      '--registry',
      registry,
      '-k',
      '3',
      '--explain',
    );
    expect(stdout).toMatch(/^facet a: Make the scanned pages searchable by OCR/m);
    expect(stdout).toMatch(/^facet b: Then merge them with the other pdf files/m);
    expect(stdout).toMatch(/^ score {2}cosine {3}words {2}facets {2}candidate$/m);
    expect(stdout).toMatch(/ b +skills\/\S*pdf-merge-split {2}<- chosen, gain -?[\d.]+$/m);
    expect(stdout).toMatch(/ \(skills\/\S+ overlaps it by [\d.]+\)$/m);
  });

  it('applies the policy: pins, exclusions, a budget, a least score', () => {
    const route = (...flags: string[]) => {
      const { stdout } = skillspan(
        'route',
        'merge pdf',
        '--registry',
        registry,
        '--json',
        ...flags,
      );
      return JSON.parse(stdout);
    };
    const ids = (...flags: string[]) => route(...flags).skills.map(({ id }: { id: string }) => id);
    const all = ids('-k', '8');
    const last = all.at(-1)!;
    expect(ids('-k', '2', '--pin', last)).toContain(last);
    expect(ids('-k', '8', '--exclude', all[0]!)).not.toContain(all[0]);
    expect(route('--tokens', '300').trace.tokens).toBeLessThanOrEqual(300);
    expect(route('--min-score', '5')).toMatchObject({
      skills: [],
      noMatch: { reason: expect.stringContaining('5 is asked for') },
    });
  });

  it('prints warnings as path:line: message', async () => {
    const folder = await temporaryFolder();
    await writeTree(folder, {
      'good/SKILL.md': '---\nname: good\ndescription: a fine skill\n---\nBody.\n',
      'bad/SKILL.md': '---\nname: bad\n---\n',
    });
    const { status, stderr, stdout } = skillspan('sync', folder);
    expect(status).toBe(0);
    expect(stderr).toMatch(new RegExp(`^${join(folder, 'bad/SKILL.md')}:\\d+: .+\n$`));
    expect(stdout).toContain('1 added, 0 changed, 0 removed, 0 unchanged, 1 skipped; 1 warnings');
  });

  it.each([
    [
      'a registry that is not there',
      ['route', 'x', '--registry', '/nowhere'],
      'ERR_REGISTRY_NOT_FOUND',
    ],
    [
      'a model that is not there',
      ['route', 'x', '--registry', 'examples/skills', '--model', '/nowhere'],
      'ERR_MODEL_NOT_FOUND',
    ],
    ['k = 0', ['route', 'x', '--registry', 'examples/skills', '-k', '0'], 'ERR_OUT_OF_RANGE'],
  ])('fails in one line on %s', (_, args, code) => {
    const { status, stdout, stderr } = skillspan(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^skillspan: .+ \\[${code}\\]\n$`));
  });

  it('explains wrong usage', () => {
    expect(skillspan('route', 'x').stderr).toContain(
      'registry: expected folders, or cacheDir with a store, got neither',
    );
    expect(skillspan('route', 'x', '--registry', 'a', '--method', 'magic').stderr).toContain(
      'Allowed choices are dsr, dpp-cosine, mmr, topk',
    );
    expect(skillspan('route', 'x', '--registry', 'a', '-k', 'ten').stderr).toContain(
      'Not a number.',
    );
  });

  it('knows its version', async () => {
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(skillspan('--version').stdout).toBe(`${version}\n`);
  });
});
