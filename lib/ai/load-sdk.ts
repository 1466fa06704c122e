import { SkillspanError } from '../errors.ts';

/** @throws {SkillspanError} `ERR_MODEL_NOT_FOUND` where the optional peer is not installed. */
export async function loadSdk() {
  try {
    return await import('ai');
  } catch (cause) {
    throw new SkillspanError(
      'ERR_MODEL_NOT_FOUND',
      'models of the AI SDK: expected the package ai (6 or later), got none. Install it with `npm install ai`.',
      { cause },
    );
  }
}

/** A text that stands between tags of a prompt, and cannot close them. */
export function quoted(text: string, longest: number): string {
  return text.slice(0, longest).replaceAll('<', '‹');
}
