/** Token ids of several texts as one rectangle, the form a model takes. */
export interface PaddedBatch {
  readonly rows: number;
  /** Tokens per row, padding included. */
  readonly width: number;
  /** rows × width, row-major. */
  readonly ids: Int32Array;
  /** rows × width: 1 on a text's own tokens, 0 on padding. */
  readonly mask: Uint8Array;
  /** rows × width: the segment of each token. Undefined: 0 throughout. */
  readonly types?: Uint8Array;
}

/** A text, or a pair of texts, as a model takes it. */
export interface TokenSequence {
  readonly ids: Int32Array;
  readonly types?: Uint8Array;
}

/** Pads sequences to the longest of them, on the side the model was trained with. */
export function padBatch(
  sequences: readonly TokenSequence[],
  padId: number,
  side: 'left' | 'right',
): PaddedBatch {
  const rows = sequences.length;
  const width = Math.max(...sequences.map(({ ids }) => ids.length));
  const ids = new Int32Array(rows * width).fill(padId);
  const mask = new Uint8Array(rows * width);
  const types = sequences.some((sequence) => sequence.types) && new Uint8Array(rows * width);
  sequences.forEach((sequence, row) => {
    const { length } = sequence.ids;
    const start = row * width + (side === 'left' ? width - length : 0);
    ids.set(sequence.ids, start);
    mask.fill(1, start, start + length);
    if (types && sequence.types) types.set(sequence.types, start);
  });
  return { rows, width, ids, mask, ...(types && { types }) };
}
