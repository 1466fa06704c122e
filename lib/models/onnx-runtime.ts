import { SkillspanError } from '../errors.ts';
import { failure } from './failure.ts';

export type OnnxRuntime = typeof import('onnxruntime-node');

/**
 * Loads onnxruntime-node, an optional peer: only those who encode with a local model need its
 * binaries.
 *
 * @param specifier what to import, for tests of its absence.
 * @throws SkillspanError ERR_MODEL_NOT_FOUND with the command that installs it, or
 * ERR_NATIVE_LOAD if it is installed but has no binary that loads on this platform.
 */
export async function loadOnnxRuntime(specifier = 'onnxruntime-node'): Promise<OnnxRuntime> {
  try {
    return (await import(specifier)) as OnnxRuntime;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    // Its own missing parts are MODULE_NOT_FOUND as well, but do not name the package so.
    if (reason.includes(`Cannot find package '${specifier}'`)) {
      throw new SkillspanError(
        'ERR_MODEL_NOT_FOUND',
        `${specifier}: expected this optional package for running models, got no such package; ` +
          `run: npm install ${specifier}`,
        { cause },
      );
    }
    throw failure('ERR_NATIVE_LOAD', specifier, 'a package that loads here', cause);
  }
}
