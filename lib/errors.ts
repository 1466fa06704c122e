/** Stable, machine-readable reasons. A message may be reworded in any release; a code may not. */
export type ErrorCode =
  | 'ERR_INVALID_ARGUMENT'
  | 'ERR_OUT_OF_RANGE'
  | 'ERR_DIMENSION'
  | 'ERR_NOT_FINITE'
  | 'ERR_ZERO_VECTOR'
  | 'ERR_EMPTY_INDEX'
  | 'ERR_CORRUPT_INDEX'
  | 'ERR_FILE'
  | 'ERR_MODEL_NOT_FOUND'
  | 'ERR_MODEL_INVALID'
  | 'ERR_MODEL_MISMATCH'
  | 'ERR_MODEL_DOWNLOAD'
  | 'ERR_MODEL_FAILED'
  | 'ERR_DEVICE'
  | 'ERR_REGISTRY_NOT_FOUND'
  | 'ERR_DATASET_NOT_FOUND'
  | 'ERR_DATASET_INVALID'
  | 'ERR_PAGE_INVALID'
  | 'ERR_OUT_OF_MEMORY'
  | 'ERR_NATIVE_LOAD'
  | 'ERR_DISPOSED';

/**
 * The one error class of this package, thrown by the TypeScript layer and by the native addon alike.
 * `message` always says what was expected and what came.
 */
export class SkillspanError extends Error {
  override readonly name = 'SkillspanError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Words that describe what came, to stand in a message as they are rather than quoted. */
export class Prose {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * Builds the one message form: `<name>: expected <expected>, got <actual>`. `actual` is the offending
 * value, described briefly, or {@link Prose}.
 */
export function unexpected(
  code: ErrorCode,
  name: string,
  expected: string,
  actual: unknown,
  options?: ErrorOptions,
): SkillspanError {
  return new SkillspanError(
    code,
    `${name}: expected ${expected}, got ${describe(actual)}`,
    options,
  );
}

function describe(value: unknown): string {
  if (value instanceof Prose) return value.text;
  if (typeof value === 'string')
    return JSON.stringify(value.length > 80 ? `${value.slice(0, 77)}…` : value);
  if (value === null || typeof value !== 'object') return String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}(${value.byteLength} bytes)`;
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return value.constructor?.name ?? 'an object';
}
