import { type ErrorCode, SkillspanError } from '../errors.ts';

/**
 * An error of this package for something a dependency threw. Its reason is kept at full length:
 * ONNX Runtime names the file or the tensor at the end of a long line.
 */
export function failure(
  code: ErrorCode,
  name: string,
  expected: string,
  cause: unknown,
): SkillspanError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SkillspanError(code, `${name}: expected ${expected}, got: ${reason}`, { cause });
}
