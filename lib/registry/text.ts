import type { Warn } from './warning.ts';

// Tab and line feed are the only control characters that mean anything in Markdown.
const CONTROL = /(?![\t\n])\p{Cc}/gu;
const LONE_SURROGATE = /\p{Surrogate}/gu;

// Zero-width joiners shape emoji and the letters of caseless scripts (Persian, Hindi …).
// Beside anything else they only hide, as do the other zero-width, bidirectional and tag characters.
const JOINABLE = '[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F\\p{Lo}\\p{M}]';
const INVISIBLE = new RegExp(
  '[\\u061C\\u180E\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\uFEFF\\u{E0000}-\\u{E007F}]' +
    `|(?<!${JOINABLE})[\\u200C\\u200D]|[\\u200C\\u200D](?!${JOINABLE})`,
  'gu',
);

/** Decodes UTF-8; bytes that are none become U+FFFD, with a warning. */
export function decodeUtf8(bytes: Uint8Array, warn: Warn): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const line = lineAt(text, text.indexOf('\uFFFD'));
    warn('invalid-unicode', line, 'some bytes are not UTF-8 and were replaced by U+FFFD');
    return text;
  }
}

/**
 * One form for every text: no byte order mark, lines ended by a line feed alone, no control characters,
 * no half of a surrogate pair. Warnings count lines from the beginning of the text, here and below.
 */
export function normaliseText(raw: string, warn: Warn): string {
  const text = raw.replace(/^\uFEFF+/, '').replace(/\r\n?/g, '\n');
  const wellFormed = replaceAll(text, LONE_SURROGATE, '\uFFFD', (line) => {
    warn('invalid-unicode', line, 'half a surrogate pair was replaced by U+FFFD');
  });
  return replaceAll(wellFormed, CONTROL, '', (line, found) => {
    warn('control-characters', line, `${found} control character(s) removed`);
  });
}

/** Removes invisible characters and says so. */
export function removeInvisible(text: string, warn: Warn): string {
  return replaceAll(text, INVISIBLE, '', (line, found) => {
    warn('invisible-characters', line, `${found} invisible character(s) removed`);
  });
}

/** Says where invisible characters are, and leaves them there. */
export function reportInvisible(text: string, warn: Warn): void {
  replaceAll(text, INVISIBLE, '', (line, found) => {
    warn('invisible-characters', line, `${found} invisible character(s), left in the body`);
  });
}

/** Replaces every match and reports once: the line of the first, and how many there were. */
function replaceAll(
  text: string,
  pattern: RegExp,
  replacement: string,
  report: (line: number, found: number) => void,
): string {
  let first = 0;
  let found = 0;
  const replaced = text.replace(pattern, (_match, index: number) => {
    if (found === 0) first = index;
    found += 1;
    return replacement;
  });
  if (found > 0) report(lineAt(text, first), found);
  return replaced;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
