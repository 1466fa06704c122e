import { existsSync, readFileSync } from 'node:fs';
import { VectorIndex } from '../lib/index.ts';
import { clustered, normalised, randomUnit, seeded } from '../test/support/vectors.ts';

/** Vectors to search and queries to search them with, row-major. */
export interface DataSet {
  readonly name: string;
  readonly dim: number;
  readonly vectors: Float32Array;
  readonly queries: Float32Array;
}

/**
 * Whether to measure on a set: SKILLSPAN_BENCH_SET, the beginning of a name (clustered, iid, real,
 * grown), leaves out the others.
 */
export function wanted(set: 'clustered' | 'iid' | 'real' | 'grown'): boolean {
  return set.startsWith(process.env.SKILLSPAN_BENCH_SET ?? '');
}

/** Clustered as a registry is, or without any structure, which is the hard case. */
export function synthetic(kind: 'clustered' | 'iid', n: number, dim: number, b: number): DataSet {
  const random = seeded(dim);
  const grouped = { centres: Math.ceil(n / 40), spread: 0.6, copies: 0.01 };
  // Together, so that the queries lie among the same centres.
  const all =
    kind === 'iid' ? randomUnit(n + b, dim, random) : clustered(n + b, dim, random, grouped);
  return {
    name: `${kind} ${n} x ${dim}`,
    dim,
    vectors: all.slice(0, n * dim),
    queries: all.slice(n * dim),
  };
}

/** Runs once for b queries of the set, going round. Each call has a buffer of its own. */
export function inTurn<T>(
  { queries, dim }: DataSet,
  b: number,
  run: (queries: Float32Array) => T,
): () => T {
  const calls = Math.floor(queries.length / dim / b);
  const parts = Array.from({ length: calls }, (_, i) =>
    queries.slice(i * b * dim, (i + 1) * b * dim),
  );
  let at = 0;
  return () => run(parts[at++ % calls]!);
}

const folder = new URL('../../shared/data/vectors/', import.meta.url);

/** Real embeddings of skills and requests where they lie beside the repository; else undefined. */
export function real(): DataSet | undefined {
  if (!existsSync(folder)) return undefined;
  const [vectors, queries] = ['skills-17825x384.npy', 'requests-1171x384.npy'].map((file) => {
    const bytes = readFileSync(new URL(file, folder));
    const offset = 10 + bytes.readUInt16LE(8);
    return new Float32Array(
      bytes.buffer.slice(bytes.byteOffset + offset, bytes.byteOffset + bytes.length),
    );
  });
  return { name: 'real 17825 x 384', dim: 384, vectors: vectors!, queries: queries! };
}

/** The real vectors {@link interpolated} to n, where they are here and wanted. */
export function growing(n: number): DataSet | undefined {
  if (!wanted('grown')) return undefined;
  const found = real();
  if (!found) console.log('  (the real vectors are not here)');
  return found && interpolated(found, n);
}

/** A set grown to n vectors, each new one between an old one and one of its 50 nearest. */
export function interpolated(set: DataSet, n: number): DataSet {
  const { dim, vectors } = set;
  const random = seeded(n);
  const old = vectors.length / dim;
  const index = VectorIndex.from(vectors, { dim });
  const grown = new Float32Array(n * dim);
  grown.set(vectors);
  for (let first = old; first < n; first += 256) {
    const count = Math.min(256, n - first);
    const from = Array.from({ length: count }, () => Math.floor(random() * old));
    const rows = new Float32Array(count * dim);
    for (const [i, a] of from.entries())
      rows.set(vectors.subarray(a * dim, (a + 1) * dim), i * dim);
    const { ids } = index.searchSync(rows, 50);
    for (const [i, a] of from.entries()) {
      const b = ids[i * 50 + Math.floor(random() * 50)]!;
      const t = 0.2 + 0.3 * random();
      for (let d = 0; d < dim; d++) {
        grown[(first + i) * dim + d] = (1 - t) * vectors[a * dim + d]! + t * vectors[b * dim + d]!;
      }
    }
  }
  return { ...set, name: `real, interpolated to ${n} x ${dim}`, vectors: normalised(grown, dim) };
}
