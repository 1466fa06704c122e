import { SkillspanError } from './errors.ts';

/**
 * The AI SDK, an optional peer.
 * @throws {SkillspanError} `ERR_MODEL_NOT_FOUND` with what to install.
 */
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
