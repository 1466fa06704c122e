import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { parseSkill, type Skill } from '../../lib/registry/skill-file.ts';

/** Parses as if the text lay in a folder called `pdf-forms`. */
export function parse(source: string | Uint8Array) {
  return parseSkill(source, { id: 'skills/pdf-forms', path: '/skills/pdf-forms/SKILL.md' });
}

/** The skill of a text that must give one. */
export function skillOf(source: string | Uint8Array): Skill {
  const { skill, warnings } = parse(source);
  if (!skill) throw new Error(`no skill: ${JSON.stringify(warnings)}`);
  return skill;
}

/** The warnings of a text as `code:line`. */
export function warningsOf(source: string | Uint8Array): string[] {
  return parse(source).warnings.map(({ code, line }) => `${code}:${line}`);
}

/** A new folder, removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillspan-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes files below a new folder, from their relative paths. */
export function folderWith(files: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  return folder;
}

/** A sound SKILL.md. */
export function skillText(name: string): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n---\n# ${name}\n`;
}
