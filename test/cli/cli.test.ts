import { spawnSync } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder, writeTree } from '../support/registry-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
let registry: string;

function skillspan(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'dist/cli/main.js'), ...args],
    { encoding: 'utf8', timeout: 120_000 },
  );
  return { status, stdout, stderr };
}

beforeAll(async () => {
  registry = join(await temporaryFolder(), 'skills');
  const documents = join(root, 'examples/skills/documents');
  await cp(documents, join(registry, 'documents'), { recursive: true });
  await cp(join(documents, 'pdf-ocr-scans'), join(registry, 'copy'), { recursive: true });
});

describe('skillspan', () => {
  it('indexes a folder, and embeds nothing the second time', () => {
    const first = skillspan('index', registry);
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(first.stdout).toBe(
      `8 skills: 7 embedded, 0 from the cache, 0 warnings\n384 dimensions, kept in ${join(registry, '.skillspan')}\n`,
    );
    expect(skillspan('index', registry).stdout).toContain('0 embedded, 7 from the cache');
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
    expect(lines[0]).toMatch(/^ #\s+skill\s+quality\s+step\s+id$/);
    expect(lines[1]).toMatch(/^ 1 {2}pdf-ocr-scans\s+1\.000\s+1\s+skills\/copy$/);
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
    expect(trace).toMatchObject({ method: 'mmr', lambda: 0.7, k: 3, candidates: 5 });
    expect(trace.pool.length).toBe(5);
  });

  it('prints warnings as path:line: message', async () => {
    const folder = await temporaryFolder();
    await writeTree(folder, {
      'good/SKILL.md': '---\nname: good\ndescription: a fine skill\n---\nBody.\n',
      'bad/SKILL.md': '---\nname: bad\n---\n',
    });
    const { status, stderr, stdout } = skillspan('index', folder);
    expect(status).toBe(0);
    expect(stderr).toMatch(new RegExp(`^${join(folder, 'bad/SKILL.md')}:\\d+: .+\n$`));
    expect(stdout).toContain('1 skills: 1 embedded, 0 from the cache, 1 warnings');
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
      "required option '--registry <dir...>' not specified",
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
