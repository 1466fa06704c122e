import type { Skill } from '../registry.ts';

/** Two skills, by their places, and the Jaccard similarity of their phrases. */
export interface Pair {
  readonly a: number;
  readonly b: number;
  readonly similarity: number;
}

/** Words of a phrase. */
const PHRASE = 4;
/** Pairs that are this similar are reported. */
const SIMILAR = 0.8;
/** Minimum hashes a skill (Broder 1997); four alike in a row make a pair worth comparing. */
const HASHES = 32;
const BAND = 4;
/** Of more skills that are alike in a band, each is compared with the first ones alone. */
const MOST_COMPARED = 64;

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * Skills that say nearly the same, whatever their names, case and layout: each with the most similar one
 * before it. A pair of similarity 0.8 is found with a probability of 98 %, a copy always.
 */
export function nearDuplicates(skills: readonly Skill[]): Pair[] {
  const phrases = skills.map(phrasesOf);
  const buckets = new Map<string, number[]>();
  const pairs: Pair[] = [];
  for (const [b, own] of phrases.entries()) {
    const sketch = sketchOf(own);
    const before = new Set<number>();
    for (let band = 0; band < HASHES / BAND; band++) {
      const key = `${band}:${sketch.subarray(band * BAND, (band + 1) * BAND).join()}`;
      const bucket = buckets.get(key) ?? [];
      for (const a of bucket) before.add(a);
      if (bucket.length < MOST_COMPARED) buckets.set(key, [...bucket, b]);
    }
    let best: Pair | undefined;
    for (const a of before) {
      const similarity = jaccard(phrases[a]!, own);
      if (similarity > (best?.similarity ?? 0)) best = { a, b, similarity };
    }
    if (best && best.similarity >= SIMILAR) pairs.push(best);
  }
  return pairs;
}

/** Hashes of all phrases; of a shorter text, of the whole. */
function phrasesOf({ description, body }: Skill): Set<number> {
  const words = `${description} ${body}`.toLowerCase().match(WORD) ?? [];
  const phrases = new Set<number>();
  for (let i = 0; i === 0 || i + PHRASE <= words.length; i++) {
    phrases.add(hash(words.slice(i, i + PHRASE).join(' ')));
  }
  return phrases;
}

function sketchOf(phrases: ReadonlySet<number>): Uint32Array {
  const sketch = new Uint32Array(HASHES).fill(0xffff_ffff);
  for (const phrase of phrases) {
    for (let i = 0; i < HASHES; i++) {
      // Another mixing of the same hash for each place.
      let mixed = Math.imul(phrase ^ Math.imul(i + 1, 0x9e37_79b1), 0x85eb_ca6b);
      mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
      mixed = (mixed ^ (mixed >>> 16)) >>> 0;
      if (mixed < sketch[i]!) sketch[i] = mixed;
    }
  }
  return sketch;
}

function jaccard(a: ReadonlySet<number>, b: ReadonlySet<number>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let shared = 0;
  for (const phrase of small) if (large.has(phrase)) shared += 1;
  return shared / (a.size + b.size - shared);
}

/** FNV-1a over code units. */
function hash(text: string): number {
  let h = 0x811c_9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x0100_0193);
  return h >>> 0;
}
