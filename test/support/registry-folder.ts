import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A new folder in the system's temporary folder. */
export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'skillspan-'));
}

/** Writes files, given as path → text, below a folder. */
export async function writeTree(root: string, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** The text of a SKILL.md. */
export function skillText(name: string, description: string, body = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}
