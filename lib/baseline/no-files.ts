import { Prose, type SkillspanError, unexpected } from '../errors.ts';

/** Index files are mapped memory, which plain TypeScript has none of. */
export function noFiles(path: string): SkillspanError {
  const came = new Prose('the TypeScript baseline, which has no index files');
  return unexpected('ERR_NATIVE_LOAD', path, 'the native addon', came);
}
