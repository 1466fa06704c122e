import { SkillspanError } from '../errors.ts';

/** Where the key of an endpoint is looked for: never on a command line, which others can read. */
export const KEY_VARIABLE = 'SKILLSPAN_API_KEY';

export interface EndpointFlags {
  llm?: string;
  baseUrl?: string;
}

/**
 * A model behind an OpenAI-compatible endpoint.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT` where name or address is missing; `ERR_MODEL_NOT_FOUND` without
 *   the package for it.
 */
export async function openModel({ llm, baseUrl }: EndpointFlags) {
  if (!llm || !baseUrl) {
    const message = 'language model: expected both --llm and --base-url, got one of them';
    throw new SkillspanError('ERR_INVALID_ARGUMENT', message);
  }
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible').catch(
    (cause: unknown) => {
      throw new SkillspanError(
        'ERR_MODEL_NOT_FOUND',
        'language model: expected the packages ai and @ai-sdk/openai-compatible, got none. ' +
          'Install them with `npm install ai@6 @ai-sdk/openai-compatible@2`.',
        { cause },
      );
    },
  );
  const apiKey = process.env[KEY_VARIABLE];
  const provider = createOpenAICompatible({
    name: 'endpoint',
    baseURL: baseUrl,
    ...(apiKey && { apiKey }),
  });
  return provider(llm);
}
