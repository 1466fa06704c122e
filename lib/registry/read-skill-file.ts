import { readFile, stat } from 'node:fs/promises';
import { LIMITS } from './limits.ts';
import type { SkillFile } from './scan.ts';
import { type ParsedSkill, parseSkill } from './skill-file.ts';
import type { WarningCode } from './warning.ts';

/** Reads a skill file. Never throws: one that cannot be read gives no skill, and a warning. */
export async function readSkillFile(file: Pick<SkillFile, 'id' | 'path'>): Promise<ParsedSkill> {
  const skip = (code: WarningCode, message: string): ParsedSkill => ({
    skill: undefined,
    warnings: [{ path: file.path, line: 1, code, message: `skipped: ${message}` }],
  });
  try {
    const { size } = await stat(file.path);
    if (size > LIMITS.fileBytes)
      return skip('file-too-large', `${size} bytes, the most read is ${LIMITS.fileBytes}`);
    return parseSkill(await readFile(file.path), file);
  } catch (error) {
    return skip('unreadable', (error as Error).message);
  }
}
