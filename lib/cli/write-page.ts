import { writeFile } from 'node:fs/promises';
import { Prose, unexpected } from '../errors.ts';

/** @throws {SkillspanError} `ERR_INVALID_ARGUMENT` for a path that cannot be written. */
export async function writePage(path: string, page: string): Promise<void> {
  await writeFile(path, page).catch((error: Error) => {
    const came = new Prose(error.message);
    throw unexpected('ERR_INVALID_ARGUMENT', 'html', 'a file that can be written', came);
  });
}
