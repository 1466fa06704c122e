/** A seeded generator of numbers in [0, 1): mulberry32, so that a failing case can be run again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function gaussian(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Scales each row of n × dim to norm 1. */
export function normalised(values: Float32Array, dim: number): Float32Array {
  const out = new Float32Array(values.length);
  for (let i = 0; i < values.length; i += dim) {
    let squared = 0;
    for (let t = i; t < i + dim; t++) squared += values[t]! ** 2;
    for (let t = i; t < i + dim; t++) out[t] = values[t]! / Math.sqrt(squared);
  }
  return out;
}

/** n unit vectors in random directions. */
export function randomUnit(n: number, dim: number, random: () => number): Float32Array {
  return normalised(
    Float32Array.from({ length: n * dim }, () => gaussian(random)),
    dim,
  );
}

/** n unit vectors around a few centres, as near-duplicate skills lie; some are exact copies. */
export function clustered(
  n: number,
  dim: number,
  random: () => number,
  { centres = 5, spread = 0.3, copies = 0.1 } = {},
): Float32Array {
  const middle = randomUnit(centres, dim, random);
  const values = new Float32Array(n * dim);
  for (let i = 0; i < n; i++) {
    if (i > 0 && random() < copies) {
      const from = Math.floor(random() * i) * dim;
      values.copyWithin(i * dim, from, from + dim);
      continue;
    }
    const centre = Math.floor(random() * centres) * dim;
    for (let t = 0; t < dim; t++) {
      values[i * dim + t] = middle[centre + t]! + (spread * gaussian(random)) / Math.sqrt(dim);
    }
  }
  return normalised(values, dim);
}

export function row(values: Float32Array, i: number, dim: number): Float32Array {
  return values.subarray(i * dim, (i + 1) * dim);
}
