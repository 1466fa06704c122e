import { Prose, unexpected } from '../errors.ts';

/** Row-major float32 vectors with their norms. */
export interface Matrix {
  readonly values: Float32Array;
  readonly rows: number;
  readonly dim: number;
  /** Euclidean norm of each row as stored, float64. */
  readonly norms: Float64Array;
}

/**
 * Copies n × dim numbers. With `normalise`, a row whose norm is off 1 by more than float32 rounding is
 * scaled to norm 1; the others keep their bits.
 * @throws {SkillspanError} `ERR_NOT_FINITE` or `ERR_ZERO_VECTOR` with the first bad row.
 */
export function readMatrix(
  name: string,
  source: Float32Array,
  dim: number,
  { normalise }: { normalise: boolean },
): Matrix {
  const values = source.slice();
  const rows = values.length / dim;
  const norms = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    let squared = dot(values, i * dim, values, i * dim, dim);
    if (!Number.isFinite(squared)) {
      throw unexpected(
        'ERR_NOT_FINITE',
        name,
        'finite numbers',
        new Prose(`NaN or Infinity in row ${i}`),
      );
    }
    if (squared === 0) {
      throw unexpected(
        'ERR_ZERO_VECTOR',
        name,
        'vectors with a direction',
        new Prose(`all zeros in row ${i}`),
      );
    }
    if (normalise && Math.abs(squared - 1) > 1e-6) {
      const scale = 1 / Math.sqrt(squared);
      for (let t = i * dim; t < (i + 1) * dim; t++) values[t] = values[t]! * scale;
      squared = dot(values, i * dim, values, i * dim, dim);
    }
    norms[i] = Math.sqrt(squared);
  }
  return { values, rows, dim, norms };
}

/** Σ a[i + t] b[j + t] over t < n, in float64 with four running sums. */
export function dot(a: Float32Array, i: number, b: Float32Array, j: number, n: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let t = 0;
  for (; t + 4 <= n; t += 4) {
    s0 += a[i + t]! * b[j + t]!;
    s1 += a[i + t + 1]! * b[j + t + 1]!;
    s2 += a[i + t + 2]! * b[j + t + 2]!;
    s3 += a[i + t + 3]! * b[j + t + 3]!;
  }
  for (; t < n; t++) s0 += a[i + t]! * b[j + t]!;
  return s0 + s1 + (s2 + s3);
}
