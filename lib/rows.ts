/** Some rows of a row-major matrix, side by side. */
export function rowsAt(
  values: Float32Array,
  width: number,
  rows: readonly number[] | Uint32Array,
): Float32Array {
  const some = new Float32Array(rows.length * width);
  for (const [i, row] of rows.entries()) {
    some.set(values.subarray(row * width, (row + 1) * width), i * width);
  }
  return some;
}
