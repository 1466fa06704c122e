/** Characters that are a token of their own, or nearly so, in the vocabularies of language models. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/**
 * About how many tokens a language model reads a text as: one for four characters, or for each
 * character of Chinese, Japanese and Korean. Without a tokenizer it can be no more than an estimate.
 */
export function estimateTokens(text: string): number {
  const dense = text.match(DENSE)?.length ?? 0;
  return dense + Math.ceil((text.length - dense) / 4);
}
