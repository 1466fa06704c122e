import { Prose, type SkillspanError, unexpected } from '../errors.ts';

/** Index files are mapped memory, which plain TypeScript has none of. */
export function noFiles(path: string): SkillspanError {
  const came = new Prose('the TypeScript baseline, which has no index files');
  return unexpected('ERR_NATIVE_LOAD', path, 'the native addon', came);
}

/** Clustering is done offline, where the addon can be had; in plain TypeScript it would take hours. */
export function noClustering(): SkillspanError {
  const came = new Prose('the TypeScript baseline, which does not cluster');
  return unexpected('ERR_NATIVE_LOAD', 'neighbourhoods', 'the native addon', came);
}
