import { Tokenizer } from '@huggingface/tokenizers';
import { failure } from './failure.ts';
import type { JsonObject, ModelFolder } from './model-folder.ts';

/**
 * UTF-16 units of text looked at per token wanted. Tokenising costs about a second per 500 KB, and
 * eight if the words are long, so a text is cut before it is tokenised. In some 480 real SKILL.md
 * files the first 256 tokens never took more than 6 units each (4 was too few for half of them);
 * 16 leaves room for indented tables, and the token the cut may have split is then far beyond the
 * last one used. Only a text that opens with thousands of spaces, or one unbroken word of that
 * length, yields fewer tokens than it could.
 */
const UNITS_PER_TOKEN = 16;

/** Turns text into token ids, cut to a length with the model's special tokens kept. */
export class TextTokenizer {
  /** The token that fills up a batch. It is masked, so any valid id would do. */
  readonly padId: number;
  readonly paddingSide: 'left' | 'right';
  /** The largest id this tokenizer can produce. */
  readonly largestId: number;
  readonly #tokenizer: Tokenizer;
  /** What the model wants around every text, e.g. [CLS] and [SEP]. */
  readonly #before: readonly number[];
  readonly #after: readonly number[];

  /** @throws SkillspanError ERR_MODEL_INVALID if `tokenizer.json` describes no known tokenizer. */
  constructor(folder: Pick<ModelFolder, 'tokenizer' | 'tokenizerConfig' | 'tokenizerFiles'>) {
    const { tokenizer: json, tokenizerConfig: config } = folder;
    const file = folder.tokenizerFiles[0] ?? 'tokenizer.json';
    try {
      this.#tokenizer = new Tokenizer(json, config);
      [this.#before, this.#after] = specialTokens(this.#tokenizer);
    } catch (cause) {
      throw failure('ERR_MODEL_INVALID', file, 'a Hugging Face tokenizer', cause);
    }
    const padding = (json.padding ?? {}) as JsonObject;
    this.padId =
      this.#tokenizer.token_to_id(padToken(config)) ??
      (typeof padding.pad_id === 'number' ? padding.pad_id : 0);
    this.paddingSide =
      (config.padding_side ?? String(padding.direction).toLowerCase()) === 'left'
        ? 'left'
        : 'right';
    let largest = 0;
    for (const id of this.#tokenizer.get_vocab().values()) largest = Math.max(largest, id);
    this.largestId = largest;
  }

  /** How many tokens of every sequence are the model's own. */
  get specialTokenCount(): number {
    return this.#before.length + this.#after.length;
  }

  /**
   * @param maxTokens longest sequence to return, special tokens included; more than
   * {@link specialTokenCount}. What is cut is the end of the text.
   * @returns at least the special tokens; empty only if the tokenizer has none and finds no token.
   */
  encode(text: string, maxTokens: number): Int32Array {
    const head = cutText(text, maxTokens * UNITS_PER_TOKEN);
    const ids = contentIds(this.#tokenizer, head);
    const kept = ids.slice(0, maxTokens - this.specialTokenCount);
    return Int32Array.from([...this.#before, ...kept, ...this.#after]);
  }
}

/** The first `units` UTF-16 units of a text, or one fewer rather than half a surrogate pair. */
export function cutText(text: string, units: number): string {
  if (text.length <= units) return text;
  const splitsPair = (text.codePointAt(units - 1) ?? 0) > 0xffff;
  return text.slice(0, splitsPair ? units - 1 : units);
}

function contentIds(tokenizer: Tokenizer, text: string): number[] {
  return tokenizer.encode(text, { add_special_tokens: false }).ids;
}

/** Finds what a tokenizer puts around a text by looking at one, whatever rule it goes by. */
function specialTokens(tokenizer: Tokenizer): [before: number[], after: number[]] {
  const bare = contentIds(tokenizer, 'a');
  const full: number[] = tokenizer.encode('a').ids;
  for (let start = 0; start + bare.length <= full.length; start++) {
    if (bare.every((id, i) => full[start + i] === id)) {
      return [full.slice(0, start), full.slice(start + bare.length)];
    }
  }
  throw new Error('special tokens that replace the text');
}

/** Written as a string or, by older exporters, as an added-token object. */
function padToken(config: JsonObject): string {
  const token = config.pad_token;
  if (typeof token === 'string') return token;
  return String((token as JsonObject | null | undefined)?.content);
}
