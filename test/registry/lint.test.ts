import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Finding, lintRegistry } from '../../lib/registry/lint/lint.ts';
import { readRegistry } from '../../lib/registry/registry.ts';
import { temporaryFolder, writeTree } from '../support/registry-folder.ts';

const words = (from: number, n: number) =>
  Array.from({ length: n }, (_, i) => `word${from + i}`).join(' ');
const skill = (fields: string, body = '') => `---\n${fields}\n---\n${body}\n`;

let root: string;
let findings: Finding[];

beforeAll(async () => {
  root = join(await temporaryFolder(), 'reg');
  const when = 'description: Use this when a test is to be written';
  await writeTree(root, {
    'fine/SKILL.md': skill(
      `name: fine\n${when}\nlicense: MIT\nallowed-tools: Bash Read\nmetadata:\n  a: b`,
      words(0, 200),
    ),
    'upper/SKILL.md': skill(`name: Upper_Case\n${when} in capitals`),
    'hyphens/SKILL.md': skill(`name: a--b\n${when} with hyphens`),
    'long/SKILL.md': skill(`name: ${'a'.repeat(65)}\n${when} at length`),
    'vague/SKILL.md': skill('name: vague\ndescription: Handles spreadsheets'),
    'chinese/SKILL.md': skill('name: chinese\ndescription: 当用户需要翻译时使用'),
    'fields/SKILL.md': skill(
      `name: fields\n${when} of fields\nversion: 2\ncompatibility: ${'x'.repeat(501)}\nlicense: 1\nmetadata: [a]`,
    ),
    'nameless/SKILL.md': skill(`${when} without a name`),
    'copy/SKILL.md': skill(
      `name: fine\n${when}\nlicense: MIT\nallowed-tools: Bash Read\nmetadata:\n  a: b`,
      words(0, 200),
    ),
    'near/SKILL.md': skill(`name: near\n${when}`, `${words(0, 195)} and five other words here`),
    'other/SKILL.md': skill(`name: other\n${when}`, words(1_000, 200)),
  });
  findings = lintRegistry(await readRegistry(root));
});

describe('lint', () => {
  it.each<[string, string[]]>([
    ['fine', ['duplicate']],
    ['upper', ['name-characters', 'name-not-folder']],
    ['hyphens', ['name-characters', 'name-not-folder']],
    ['long', ['name-long', 'name-not-folder']],
    ['vague', ['description-without-when']],
    ['chinese', []],
    ['fields', ['unknown-field', 'field-long', 'field-type', 'field-type']],
    ['nameless', ['name-missing']],
    ['copy', ['name-not-folder']],
    ['near', ['near-duplicate']],
    ['other', []],
  ])('says of the skill in %s what is off about it', (folder, codes) => {
    const path = join(root, folder, 'SKILL.md');
    const found = findings.filter((finding) => finding.path === path).map(({ code }) => code);
    expect(found.sort()).toEqual(codes.sort());
  });

  it('says in words what was expected and what came', () => {
    expect(findings).toContainEqual({
      path: join(root, 'upper/SKILL.md'),
      line: 1,
      code: 'name-characters',
      message:
        'name: expected lower-case letters, digits and single hyphens between them, got "Upper_Case"',
    });
  });
});
