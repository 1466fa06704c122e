import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { skillspan } from '../support/cli.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';

const THINGS = ['pdf', 'mail', 'chart', 'sheet'];
let folder: string;

beforeAll(async () => {
  folder = join(await temporaryFolder(), 'small');
  const requests = Array.from({ length: 20 }, (_, i) => ({
    id: `r${i}`,
    text: `make the ${THINGS[i % 4]} number ${i}`,
    gold: [`skills/${THINGS[i % 4]}`],
  }));
  await writeTree(folder, {
    ...Object.fromEntries(
      THINGS.map((name) => [`skills/${name}/SKILL.md`, skillText(name, `make a ${name}`)]),
    ),
    'requests.jsonl': requests.map((request) => `${JSON.stringify(request)}\n`).join(''),
  });
});

describe('skillspan tune', () => {
  it('writes settings that route takes, and says what they are worth on the held-out half', async () => {
    const negatives = join(folder, 'negatives.txt');
    await writeFile(negatives, 'water the tomatoes\n\ncarry the piano upstairs\n');
    const out = join(folder, 'settings.json');
    const tune = ['tune', '--dataset', folder, '--k', '1,2', '--negatives', negatives];
    const { status, stdout, stderr } = skillspan(...tune, '--out', out);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^tuned on {2}n 10: full coverage [\d.]+ % -> [\d.]+ %, recall/m);
    expect(stdout).toMatch(/^held out {2}n 10: /m);
    expect(stdout).toMatch(/^minScore [\d.]+ keeps [\d.]+ % of the held-out requests and answers/m);
    const settings = JSON.parse(await readFile(out, 'utf8'));
    expect(settings.minScore).toBeGreaterThan(0);
    expect(JSON.parse(skillspan(...tune, '--json').stdout).settings).toEqual(settings);

    const route = ['route', 'make a mail', '--registry', join(folder, 'skills'), '--json'];
    const strict = { ...settings, minScore: 9 };
    await writeFile(out, JSON.stringify(strict));
    expect(JSON.parse(skillspan(...route, '--settings', out).stdout).skills).toEqual([]);
  });

  it('refuses settings and negatives that cannot be read', async () => {
    const broken = join(folder, 'broken.json');
    await writeFile(broken, '[');
    const route = ['route', 'make a mail', '--registry', join(folder, 'skills')];
    const refused = skillspan(...route, '--settings', broken);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('settings as `skillspan tune --out` writes them');
    const missing = skillspan('tune', '--dataset', folder, '--negatives', join(folder, 'none'));
    expect(missing.stderr).toContain('negatives: expected a file that can be read');
  });
});
