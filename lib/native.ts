import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendIndex, BackendLexicalIndex, LexicalModel } from './contract.ts';
import { SkillspanError } from './errors.ts';

/** The addon as it is exported from C++. Nothing else in the package touches an untyped value. */
interface Addon extends Omit<Backend, 'createIndex' | 'createLexicalIndex'> {
  install(errorClass: typeof SkillspanError): void;
  NativeIndex: new (
    vectors: Float32Array | undefined,
    dim: number,
    probable: boolean,
  ) => BackendIndex;
  NativeLexicalIndex: new (model: LexicalModel, k1: number, b: number) => BackendLexicalIndex;
}

/**
 * Loads the addon: the local build, else the prebuild for this platform.
 * @throws {SkillspanError} `ERR_NATIVE_LOAD` with what to do about it.
 */
export function loadNative(): Backend {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const require = createRequire(import.meta.url);
  let addon: Addon;
  try {
    addon = require('node-gyp-build')(root) as Addon;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new SkillspanError(
      'ERR_NATIVE_LOAD',
      `native addon: expected a build or prebuild for ${process.platform}-${process.arch}, got: ${reason}. ` +
        'Build it with `npm rebuild skillspan` (needs a C++17 compiler and python3), or set ' +
        'SKILLSPAN_NATIVE=0 to run on the much slower TypeScript baseline.',
      { cause },
    );
  }
  addon.install(SkillspanError);
  return {
    info: addon.info,
    createIndex: (vectors, dim, probable) => new addon.NativeIndex(vectors, dim, probable),
    openIndexAsync: addon.openIndexAsync,
    createLexicalIndex: (model, k1, b) => new addon.NativeLexicalIndex(model, k1, b),
    openLexicalIndexAsync: addon.openLexicalIndexAsync,
    select: addon.select,
    selectAsync: addon.selectAsync,
  };
}
