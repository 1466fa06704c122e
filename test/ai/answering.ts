import { MockLanguageModelV3 } from 'ai/test';

/** A model that answers with these texts, one after the other, and remembers what it was asked. */
export function answering(...texts: string[]) {
  const asked: string[] = [];
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      asked.push(JSON.stringify(prompt));
      return {
        content: [{ type: 'text', text: texts[Math.min(asked.length, texts.length) - 1]! }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
  return { model, asked };
}
