import { row } from './vectors.ts';

/*
 * Answers by the shortest route from the definitions, in float64: explicit residual vectors, whole
 * determinants, no identity and no incremental step that the library under test relies on.
 */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let t = 0; t < a.length; t++) sum += a[t]! * b[t]!;
  return sum;
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** Cosines of a query with each row. */
export function cosines(values: Float32Array, query: Float32Array): number[] {
  const dim = query.length;
  return Array.from({ length: values.length / dim }, (_, i) => cosine(row(values, i, dim), query));
}

/** φ from its definition: remove λ of the query direction, normalise, (1 + z_i·z_j) / 2. */
export function kernel(embeddings: Float32Array, query: Float32Array, lambda: number): number[][] {
  const dim = query.length;
  const norm = Math.sqrt(dot(query, query));
  const x = Array.from(query, (v) => v / norm);
  const z = Array.from({ length: embeddings.length / dim }, (_, i) => {
    const raw = row(embeddings, i, dim);
    const length = Math.sqrt(dot(raw, raw));
    const e = Array.from(raw, (v) => v / length);
    const a = dot(e, x);
    const rest = e.map((v, t) => v - lambda * a * x[t]!);
    const size = Math.sqrt(dot(rest, rest));
    return size < 1e-6 ? rest.map(() => 0) : rest.map((v) => v / size);
  });
  return z.map((zi, i) => z.map((zj, j) => (i === j ? 1 : (1 + dot(zi, zj)) / 2)));
}

/** log det of φ on a subset, by Cholesky from scratch; -Infinity when it is singular. */
export function logDet(phi: number[][], subset: readonly number[]): number {
  const n = subset.length;
  const l = subset.map(() => new Float64Array(n));
  let sum = 0;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let v = phi[subset[i]!]![subset[j]!]!;
      for (let s = 0; s < j; s++) v -= l[i]![s]! * l[j]![s]!;
      if (i === j) {
        if (v <= 0) return Number.NEGATIVE_INFINITY;
        l[i]![i] = Math.sqrt(v);
        sum += Math.log(v);
      } else {
        l[i]![j] = v / l[j]![j]!;
      }
    }
  }
  return sum;
}
