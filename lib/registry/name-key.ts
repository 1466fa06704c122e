/**
 * How names are compared: word by word, without regard to case, compatibility forms and what joins the
 * words, so that `PDF table extract` is `pdf-table-extract`.
 */

const WORD = /[\p{L}\p{N}\p{M}]+(?:\+\+|#)?/gu;
/** Longer names are not looked for. */
export const MOST_WORDS = 8;

/** What a name is looked for by; undefined for one that no text can call. */
export function nameKey(name: string): string | undefined {
  const words = wordsOf(name).map(({ word }) => word);
  return words.length > 0 && words.length <= MOST_WORDS ? words.join(' ') : undefined;
}

/** FNV-1a over the code units of a key, 31 bits of it: small integers take the least memory. */
export function keyHash(key: string): number {
  return hashOn(FNV_BASIS, key) >>> 1;
}

export const FNV_BASIS = 0x811c9dc5;

/** A hash carried on over more text. */
export function hashOn(hash: number, text: string): number {
  let h = hash;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h;
}

export function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

export function wordsOf(text: string): { word: string; at: number }[] {
  return [...fold(text).matchAll(WORD)].map(({ 0: word, index: at }) => ({ word, at }));
}
