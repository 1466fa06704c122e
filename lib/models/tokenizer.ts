import { Tokenizer } from '@huggingface/tokenizers';
import { unexpected } from '../errors.ts';
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

export interface TokenizerOptions {
  /** A token that ends every text; added where the tokenizer's own template does not. */
  readonly endToken?: string | undefined;
  /** Default: what the files say, else right. */
  readonly padding?: 'left' | 'right' | undefined;
}

/** Two texts as one sequence. */
export interface TokenPair {
  readonly ids: Int32Array;
  /** The segment of each token, 0 or 1. */
  readonly types: Uint8Array;
}

/** A piece of a pair's template, as special tokens and the segment that they count to. */
interface Piece {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

interface PairTemplate {
  readonly before: Piece;
  readonly between: Piece;
  readonly after: Piece;
  /** Segments of the first and of the second text. */
  readonly first: number;
  readonly second: number;
}

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
  readonly #file: string;
  /** Finds a token of the model's own that is written out in a text. */
  readonly #reserved: RegExp | undefined;
  #pairs: PairTemplate | undefined;

  /**
   * @throws SkillspanError ERR_MODEL_INVALID if `tokenizer.json` describes no known tokenizer;
   * ERR_MODEL_MISMATCH if it lacks the end token.
   */
  constructor(
    folder: Pick<ModelFolder, 'tokenizer' | 'tokenizerConfig' | 'tokenizerFiles'>,
    options: TokenizerOptions = {},
  ) {
    const { tokenizer: json, tokenizerConfig: config } = folder;
    const file = folder.tokenizerFiles[0] ?? 'tokenizer.json';
    try {
      this.#tokenizer = new Tokenizer(json, config);
      [this.#before, this.#after] = specialTokens(this.#tokenizer);
    } catch (cause) {
      throw failure('ERR_MODEL_INVALID', file, 'a Hugging Face tokenizer', cause);
    }
    this.#file = file;
    this.#reserved = reservedWords(this.#tokenizer);
    if (options.endToken !== undefined) {
      const end = this.idOf(options.endToken);
      if (this.#after.at(-1) !== end) this.#after = [...this.#after, end];
    }
    const padding = (json.padding ?? {}) as JsonObject;
    this.padId =
      this.#tokenizer.token_to_id(padToken(config)) ??
      (typeof padding.pad_id === 'number' ? padding.pad_id : 0);
    this.paddingSide =
      (options.padding ?? config.padding_side ?? String(padding.direction).toLowerCase()) === 'left'
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
    const kept = this.content(text, maxTokens - this.specialTokenCount, maxTokens);
    return Int32Array.from([...this.#before, ...kept, ...this.#after]);
  }

  /**
   * A text's own tokens, without special ones.
   * @param most the first so many of them.
   * @param lookedAt tokens' worth of text that is read at all. Default: `most`.
   */
  content(text: string, most: number, lookedAt = most): number[] {
    return contentIds(this.#tokenizer, cutText(text, lookedAt * UNITS_PER_TOKEN)).slice(0, most);
  }

  /**
   * A text in which the model's own tokens, such as the one that ends a turn, are but words: a document
   * must not be able to close its place in a template.
   */
  plain(text: string): string {
    if (!this.#reserved) return text;
    return text.replace(this.#reserved, (token) => `${token[0]} ${token.slice(1)}`);
  }

  /** @throws SkillspanError ERR_MODEL_MISMATCH for a token that the vocabulary lacks. */
  idOf(token: string): number {
    const id = this.#tokenizer.token_to_id(token);
    if (id !== undefined) return id;
    throw unexpected(
      'ERR_MODEL_MISMATCH',
      this.#file,
      `the token ${token}`,
      'a vocabulary without it',
    );
  }

  /**
   * Two texts as the model's own template joins them, each cut at its end. The second is cut first, but
   * not below half of the room: a long request does not push the document out.
   * @param maxTokens longest sequence to return, special tokens included.
   * @throws SkillspanError ERR_MODEL_INVALID for a tokenizer that joins no pairs.
   */
  encodePair(first: string, second: string, maxTokens: number): TokenPair {
    this.#pairs ??= pairTemplate(this.#tokenizer, this.#file);
    const { before, between, after, ...types } = this.#pairs;
    const room = maxTokens - before.ids.length - between.ids.length - after.ids.length;
    const left = this.content(first, Math.max(room, 0));
    const right = this.content(second, Math.max(room - Math.min(left.length, room >> 1), 0));
    const kept = left.slice(0, room - right.length);
    const fill = (tokens: readonly number[], type: number) => tokens.map(() => type);
    return {
      ids: Int32Array.from([...before.ids, ...kept, ...between.ids, ...right, ...after.ids]),
      types: Uint8Array.from([
        ...before.types,
        ...fill(kept, types.first),
        ...between.types,
        ...fill(right, types.second),
        ...after.types,
      ]),
    };
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
  const start = indexOf(full, bare, 0);
  if (start < 0) throw new Error('special tokens that replace the text');
  return [full.slice(0, start), full.slice(start + bare.length)];
}

function reservedWords(tokenizer: Tokenizer): RegExp | undefined {
  const words = [...tokenizer.get_added_tokens_decoder().values()].map(({ content }) => content);
  const long = words.filter((word) => word.length > 1).sort((a, b) => b.length - a.length);
  if (long.length === 0) return undefined;
  return new RegExp(long.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|'), 'g');
}

/** Finds what a tokenizer puts around and between two texts by looking at two. */
function pairTemplate(tokenizer: Tokenizer, file: string): PairTemplate {
  const full = tokenizer.encode('a', { text_pair: 'b', return_token_type_ids: true });
  const [a, b] = [contentIds(tokenizer, 'a'), contentIds(tokenizer, 'b')];
  const start = indexOf(full.ids, a, 0);
  const next = indexOf(full.ids, b, start + a.length);
  if (start < 0 || next < 0) {
    throw unexpected(
      'ERR_MODEL_INVALID',
      file,
      'a tokenizer that joins pairs',
      'one that does not',
    );
  }
  const piece = (from: number, to?: number): Piece => ({
    ids: full.ids.slice(from, to),
    types: full.token_type_ids.slice(from, to),
  });
  return {
    before: piece(0, start),
    between: piece(start + a.length, next),
    after: piece(next + b.length),
    first: full.token_type_ids[start]!,
    second: full.token_type_ids[next]!,
  };
}

/** Where `some` stands in `all`, from a place on; −1 if it does not. */
function indexOf(all: readonly number[], some: readonly number[], from: number): number {
  if (from < 0) return -1;
  for (let start = from; start + some.length <= all.length; start++) {
    if (some.every((id, i) => all[start + i] === id)) return start;
  }
  return -1;
}

/** Written as a string or, by older exporters, as an added-token object. */
function padToken(config: JsonObject): string {
  const token = config.pad_token;
  if (typeof token === 'string') return token;
  return String((token as JsonObject | null | undefined)?.content);
}
