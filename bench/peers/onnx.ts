import { createRequire } from 'node:module';
import { bytes, message, node, text, value, varint } from '../../test/models/tiny-onnx.ts';
import type { Contender } from '../report.ts';
import { type DataSet, inTurn } from '../vectors.ts';

type Ort = typeof import('onnxruntime-node');

const ort = createRequire(import.meta.url)('onnxruntime-node') as Ort;

/** TensorProto.DataType. */
const FLOAT = 1;
const INT8 = 3;
const INT64 = 7;

function constant(name: string, type: number, shape: number[], data: ArrayBufferView): Uint8Array {
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return bytes(
    5,
    message(...shape.map((n) => varint(1, n)), varint(2, type), text(8, name), bytes(9, raw)),
  );
}

/** TopK(queries × vectors), the vectors as a constant, which ONNX Runtime packs once for all. */
function model(set: DataSet, m: number, nodes: Uint8Array[], constants: Uint8Array[]): Uint8Array {
  return message(
    varint(1, 8), // ir_version
    bytes(8, message(varint(2, 13))), // opset_import: version 13
    bytes(
      7,
      message(
        ...nodes.map((one) => bytes(1, one)),
        bytes(1, node('TopK', ['scores', 'm'], ['best', 'ids'])),
        text(2, 'search'),
        ...constants,
        constant('m', INT64, [1], BigInt64Array.of(BigInt(m))),
        bytes(11, value('queries', FLOAT, ['b', set.dim])),
        bytes(12, value('ids', INT64, ['b', m])),
      ),
    ),
  );
}

/** dim × n, as a matrix product wants it, each number times a factor of its vector. */
function transposed<T extends Float32Array | Int8Array>(
  { vectors, dim }: DataSet,
  out: T,
  factor?: Float32Array,
): T {
  const n = vectors.length / dim;
  for (let i = 0; i < n; i++) {
    const by = factor?.[i] ?? 1;
    for (let d = 0; d < dim; d++) {
      const scaled = vectors[i * dim + d]! * by;
      out[d * n + i] = factor ? Math.round(scaled) : scaled;
    }
  }
  return out;
}

function float32Model(set: DataSet, m: number): Uint8Array {
  const { vectors, dim } = set;
  const table = transposed(set, new Float32Array(vectors.length));
  return model(
    set,
    m,
    [node('MatMul', ['queries', 'table'], 'scores')],
    [constant('table', FLOAT, [dim, vectors.length / dim], table)],
  );
}

/** 8 bits a number with a scale a vector, the queries quantised as they come: not exact. */
function int8Model(set: DataSet, m: number): Uint8Array {
  const { vectors, dim } = set;
  const n = vectors.length / dim;
  const scales = new Float32Array(n);
  for (let i = 0; i < n; i++) {
    for (let d = 0; d < dim; d++) {
      scales[i] = Math.max(scales[i]!, Math.abs(vectors[i * dim + d]!) / 127);
    }
  }
  const table = transposed(
    set,
    new Int8Array(vectors.length),
    scales.map((scale) => 1 / scale),
  );
  return model(
    set,
    m,
    [
      node('DynamicQuantizeLinear', ['queries'], ['codes', 'step', 'zero']),
      node('MatMulInteger', ['codes', 'table', 'zero'], 'sums'),
      node('Cast', ['sums'], 'products', castToFloat()),
      node('Mul', ['products', 'scales'], 'scores'),
    ],
    [constant('table', INT8, [dim, n], table), constant('scales', FLOAT, [n], scales)],
  );
}

/** AttributeProto fields: 1 name, 3 one integer, 20 the type (2 INT). */
function castToFloat(): Uint8Array {
  return message(text(1, 'to'), varint(3, FLOAT), varint(20, 2));
}

/** Searches a set by matrix product; `contender` is one for calls of b queries. */
export async function onnxSearch(
  set: DataSet,
  kind: 'float32' | 'int8',
  m: number,
  threads: number,
) {
  const written = (kind === 'int8' ? int8Model : float32Model)(set, m);
  const session = await ort.InferenceSession.create(written, {
    intraOpNumThreads: threads,
    logSeverityLevel: 3,
  });
  const search = async (queries: Float32Array): Promise<number[]> => {
    const shape = [queries.length / set.dim, set.dim];
    const { ids } = await session.run({ queries: new ort.Tensor('float32', queries, shape) });
    return Array.from(ids!.data as BigInt64Array, Number);
  };
  return {
    search,
    contender: (b: number, note = ''): Contender => [
      `ONNX Runtime ${kind} MatMul + TopK${note}`,
      inTurn(set, b, search),
    ],
  };
}
