export interface Hits {
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
}

/** Keeps the m best (score, id) pairs in a heap, worst on top; ties go to the lower id. */
export class TopM {
  readonly #scores: Float64Array;
  readonly #ids: Uint32Array;
  #size = 0;

  constructor(m: number) {
    this.#scores = new Float64Array(m);
    this.#ids = new Uint32Array(m);
  }

  offer(score: number, id: number): void {
    if (this.#size < this.#ids.length) {
      this.#up(this.#size++, score, id);
    } else if (this.#worse(0, score, id)) {
      this.#down(score, id);
    }
  }

  /** Ids, best first. */
  sorted(): Hits {
    const slots = Array.from({ length: this.#size }, (_, i) => i);
    slots.sort((a, b) => this.#scores[b]! - this.#scores[a]! || this.#ids[a]! - this.#ids[b]!);
    return {
      ids: Uint32Array.from(slots, (i) => this.#ids[i]!),
      scores: Float64Array.from(slots, (i) => this.#scores[i]!),
    };
  }

  /** Whether the pair in a slot ranks below (score, id). */
  #worse(slot: number, score: number, id: number): boolean {
    const held = this.#scores[slot]!;
    return held < score || (held === score && this.#ids[slot]! > id);
  }

  #set(slot: number, score: number, id: number): void {
    this.#scores[slot] = score;
    this.#ids[slot] = id;
  }

  #up(slot: number, score: number, id: number): void {
    let at = slot;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#worse(parent, score, id)) break;
      this.#set(at, this.#scores[parent]!, this.#ids[parent]!);
      at = parent;
    }
    this.#set(at, score, id);
  }

  #down(score: number, id: number): void {
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && this.#worse(right, this.#scores[child]!, this.#ids[child]!))
        child = right;
      if (!this.#worse(child, score, id)) break;
      this.#set(at, this.#scores[child]!, this.#ids[child]!);
      at = child;
    }
    this.#set(at, score, id);
  }
}
