/** For each candidate, the chosen one that overlaps it most so far, and by how much. */
export class Overlaps {
  readonly nearest: Int32Array;
  readonly overlap: Float32Array;

  constructor(m: number) {
    this.nearest = new Int32Array(m).fill(-1);
    this.overlap = new Float32Array(m);
  }

  note(i: number, j: number, phi: number): void {
    if (this.nearest[i]! >= 0 && phi <= this.overlap[i]!) return;
    this.nearest[i] = j;
    this.overlap[i] = phi;
  }
}
