/** A seeded generator of numbers in [0, 1) with 32 bits: mulberry32, the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * n of the items, each set of n equally likely, in the order of the items; all of them where there are no
 * more (Knuth, TAOCP 2, 3.4.2, algorithm S).
 */
export function sample<T>(items: readonly T[], n: number, seed: number): T[] {
  const random = seededRandom(seed);
  let wanted = Math.min(n, items.length);
  return items.filter((_, i) => {
    const isChosen = random() * (items.length - i) < wanted;
    if (isChosen) wanted -= 1;
    return isChosen;
  });
}
