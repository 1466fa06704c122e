/**
 * Writes ONNX models of one embedding table: `output = Gather(table, input)`. Enough to check, with
 * numbers one can follow by hand, what is fed to a model and what is made of its answer.
 *
 * ONNX is protobuf (onnx.proto3 in the ONNX repository): a message is a run of fields, each a key
 * `number << 3 | wire type` and a value. Only varints (0) and length-prefixed bytes (2) are used.
 */
export interface TinyGraph {
  /** One row per id; its length is the model's dim. */
  readonly table: readonly (readonly number[])[];
  /** Graph inputs, in order. Default: input_ids. */
  readonly inputs?: readonly string[];
  /** The input that picks the rows. Default: the first. */
  readonly gatherFrom?: string;
  /** Default: last_hidden_state. */
  readonly output?: string;
  /** Averages the token states inside the graph, so that the output is batch × dim. */
  readonly pooled?: boolean;
  /** Inputs by whose numbers every token's row is multiplied, such as the mask. */
  readonly weighBy?: readonly string[];
  /** Adds the rows up: of the tokens so far, as a causal model does, or of all, as a classifier does. */
  readonly sum?: 'so far' | 'all';
  /** Element type of the inputs. Default: int64. */
  readonly inputType?: 'int32' | 'int64';
  /** Element type of the table and the output. Default: float32. */
  readonly tableType?: 'float16' | 'float32' | 'float64';
  /** Further inputs of a decoder: keys of earlier tokens, and how many logits to keep. They change nothing. */
  readonly decoder?: boolean;
  /** Leaves the table out, to be read from this file beside the model: see {@link tableBytes}. */
  readonly externalData?: string;
}

/** TensorProto.DataType. */
const ELEMENT_TYPES = { float32: 1, int32: 6, int64: 7, float16: 10, float64: 11 };

export function tinyOnnx(graph: TinyGraph): Uint8Array {
  const inputs = graph.inputs ?? ['input_ids'];
  const output = graph.output ?? 'last_hidden_state';
  const dim = graph.table[0]!.length;
  const type = ELEMENT_TYPES[graph.tableType ?? 'float32'];
  const nodes: Uint8Array[] = [];
  let last = 'table';
  const then = (op: string, more: string[], ...attributes: Uint8Array[]) => {
    const name = `${op}${nodes.length}`;
    nodes.push(node(op, [last, ...more], name, ...attributes));
    last = name;
  };
  then('Gather', [graph.gatherFrom ?? inputs[0]!]);
  for (const input of graph.weighBy ?? []) {
    nodes.push(node('Cast', [input], `${input}-number`, integer('to', type)));
    nodes.push(node('Unsqueeze', [`${input}-number`, 'two'], `${input}-weight`));
    then('Mul', [`${input}-weight`]);
  }
  if (graph.sum === 'so far') then('CumSum', ['one']);
  if (graph.sum === 'all') then('ReduceSum', ['one'], integer('keepdims', 0));
  if (graph.pooled) then('ReduceMean', [], axisOne(), integer('keepdims', 0));
  nodes.push(node('Identity', [last], output));

  const inputType = ELEMENT_TYPES[graph.inputType ?? 'int64'];
  const reduced = graph.pooled || graph.sum === 'all';
  const outputShape = reduced ? ['batch', dim] : ['batch', 'tokens', dim];
  const further = [
    value('past_key_values.0.key', type, ['batch', 2, 'past', 4]),
    value('num_logits_to_keep', ELEMENT_TYPES.int64, []),
  ];
  return message(
    varint(1, 8), // ir_version
    bytes(8, message(varint(2, 13))), // opset_import: version 13
    bytes(
      7,
      message(
        ...nodes.map((encoded) => bytes(1, encoded)),
        text(2, 'tiny'),
        bytes(5, table(graph)),
        bytes(5, axis('one', 1)),
        bytes(5, axis('two', 2)),
        ...inputs.map((name) => bytes(11, value(name, inputType, ['batch', 'tokens']))),
        ...(graph.decoder ? further.map((input) => bytes(11, input)) : []),
        bytes(12, value(output, type, outputShape)),
      ),
    ),
  );
}

/** A table as raw little-endian numbers, the content of an external data file. */
export function tableBytes(
  rows: TinyGraph['table'],
  type: TinyGraph['tableType'] = 'float32',
): Uint8Array {
  if (type === 'float16') return new Uint8Array(Uint16Array.from(rows.flat(), toHalf).buffer);
  const Numbers = type === 'float32' ? Float32Array : Float64Array;
  return new Uint8Array(Numbers.from(rows.flat()).buffer);
}

export function node(
  type: string,
  inputs: string[],
  outputs: string | string[],
  ...attributes: Uint8Array[]
): Uint8Array {
  return message(
    ...inputs.map((name) => text(1, name)),
    ...[outputs].flat().map((name) => text(2, name)),
    text(4, type),
    ...attributes.map((attribute) => bytes(5, attribute)),
  );
}

/** The float16 bits of a number that has a short fraction. */
function toHalf(number: number): number {
  if (number === 0) return 0;
  const exponent = Math.floor(Math.log2(Math.abs(number)));
  const fraction = Math.round((Math.abs(number) / 2 ** exponent - 1) * 1024);
  return (number < 0 ? 0x8000 : 0) | ((exponent + 15) << 10) | fraction;
}

/** A whole number as a tensor of one. */
function axis(name: string, number: number): Uint8Array {
  const content = new Uint8Array(BigInt64Array.of(BigInt(number)).buffer);
  const shape = [varint(1, 1), varint(2, ELEMENT_TYPES.int64)];
  return message(...shape, text(8, name), bytes(9, content));
}

/** AttributeProto fields: 1 name, 3 one integer, 8 several, 20 the type (2 INT, 7 INTS). */
function axisOne(): Uint8Array {
  return message(text(1, 'axes'), varint(8, 1), varint(20, 7));
}

function integer(name: string, number: number): Uint8Array {
  return message(text(1, name), varint(3, number), varint(20, 2));
}

function table({ table: rows, tableType = 'float32', externalData }: TinyGraph): Uint8Array {
  const shape = [varint(1, rows.length), varint(1, rows[0]!.length)];
  const header = message(...shape, varint(2, ELEMENT_TYPES[tableType]), text(8, 'table'));
  if (!externalData) return message(header, bytes(9, tableBytes(rows, tableType)));
  const location = message(text(1, 'location'), text(2, externalData));
  return message(header, bytes(13, location), varint(14, 1));
}

export function value(name: string, elementType: number, shape: (string | number)[]): Uint8Array {
  const dims = shape.map((size) =>
    bytes(1, typeof size === 'number' ? message(varint(1, size)) : message(text(2, size))),
  );
  const tensor = message(varint(1, elementType), bytes(2, message(...dims)));
  return message(text(1, name), bytes(2, message(bytes(1, tensor))));
}

export function message(...fields: Uint8Array[]): Uint8Array {
  return Buffer.concat(fields);
}

export function varint(field: number, number: number): Uint8Array {
  return Uint8Array.from([...base128(field << 3), ...base128(number)]);
}

export function bytes(field: number, content: Uint8Array): Uint8Array {
  return message(
    Uint8Array.from([...base128((field << 3) | 2), ...base128(content.length)]),
    content,
  );
}

export function text(field: number, content: string): Uint8Array {
  return bytes(field, Buffer.from(content));
}

/** Seven bits a byte, low ones first; the top bit says that more follow. */
function base128(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) | 128, ...base128(Math.floor(number / 128))];
}
