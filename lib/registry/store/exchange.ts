import { createReadStream } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Prose, unexpected } from '../../errors.ts';
import type { EncoderIdentity } from '../embeddings.ts';
import { indexView } from '../index-view.ts';
import { decodeNpy, encodeNpy } from '../npy.ts';
import { contentHash, type Skill } from '../skill-file.ts';
import type { SkillStore, TakenIn } from './skill-store.ts';

/** Skills written or read in one go. */
const STEP = 1_024;

/** How far a norm may be from 1; rows within it are normalised, others are refused. */
const NORM_TOLERANCE = 0.01;

/** The first line of an export: what the vectors beside it come from. */
interface Header extends EncoderIdentity {
  readonly kind: 'skillspan';
  readonly version: 1;
  readonly skills: number;
}

export interface Exported {
  readonly skills: number;
  readonly dim: number;
}

/**
 * Writes the skills of a store as JSON Lines: a line that says what it is, `kind: "skillspan"`, then one
 * `kind: "skill"` each; and their vectors, in the same order, as a NumPy matrix. Each file is there whole
 * or not at all.
 * @throws {SkillspanError} `ERR_EMPTY_INDEX` for a store without skills.
 */
export async function exportStore(
  store: SkillStore,
  files: { readonly skills: string; readonly vectors: string },
): Promise<Exported> {
  const { encoder } = store;
  if (!encoder || store.size === 0) {
    throw unexpected('ERR_EMPTY_INDEX', 'store', 'at least one skill', new Prose('none'));
  }
  const reader = store.reader();
  try {
    const rows = reader.rowsAfter(-1);
    const { fingerprint, dim } = encoder;
    const header: Header = { kind: 'skillspan', version: 1, fingerprint, dim, skills: rows.length };
    const values = reader.vectorsOf(rows, encoder);
    await writeWhole(files.vectors, [encodeNpy({ rows: rows.length, dim, values })]);
    await writeWhole(
      files.skills,
      (function* () {
        yield `${JSON.stringify(header)}\n`;
        for (let first = 0; first < rows.length; first += STEP) {
          const lines = rows.slice(first, first + STEP).map((row) => {
            const { id, name, description, body, path, metadata } = reader.skill(row);
            return JSON.stringify({ kind: 'skill', id, name, description, body, path, metadata });
          });
          yield `${lines.join('\n')}\n`;
        }
      })(),
    );
    return { skills: rows.length, dim };
  } finally {
    reader.close();
  }
}

export interface Imported extends Exported, TakenIn {}

/**
 * Takes skills and their vectors into a store, in one change: those of an id that was imported before
 * replace it. Vectors made elsewhere are as good as the store's own, so they are checked: as many as
 * skills, of the dimension and the encoder that the first line names, finite, and of norm 1; norms that
 * are off by up to 1 % are mended, others refused.
 * @param files.fingerprint the encoder's, for files whose first line does not name it.
 * @throws {SkillspanError} `ERR_FILE`, `ERR_INVALID_ARGUMENT`, `ERR_DIMENSION`, `ERR_NOT_FINITE`,
 *   `ERR_OUT_OF_RANGE`, `ERR_CORRUPT_INDEX`, `ERR_MODEL_MISMATCH`; then nothing is taken in.
 */
export async function importStore(
  store: SkillStore,
  files: { readonly skills: string; readonly vectors: string; readonly fingerprint?: string },
): Promise<Imported> {
  const { header, skills } = await readSkills(files.skills);
  const matrix = decodeNpy(await readBytes(files.vectors), files.vectors);
  const { dim, values } = matrix;
  const fingerprint = files.fingerprint ?? header?.fingerprint;
  if (fingerprint === undefined) {
    const expected = 'a first line with the fingerprint of the encoder, or that fingerprint given';
    throw unexpected('ERR_INVALID_ARGUMENT', files.skills, expected, new Prose('neither'));
  }
  if (matrix.rows !== skills.length) {
    const expected = `${skills.length} rows, one a skill`;
    throw unexpected('ERR_DIMENSION', files.vectors, expected, new Prose(`${matrix.rows}`));
  }
  if (header && header.dim !== dim) {
    throw unexpected('ERR_DIMENSION', files.vectors, `${header.dim} columns`, new Prose(`${dim}`));
  }
  checkNorms(values, dim, files.vectors);

  const encoder = { fingerprint, dim };
  store.checkEncoder(encoder);
  const embeddings = store.embeddings(encoder);
  for (let first = 0; first < skills.length; first += STEP) {
    const some = skills.slice(first, first + STEP);
    embeddings.put(some.map(indexView), values.subarray(first * dim, (first + some.length) * dim));
  }
  return { ...store.takeIn(skills, encoder), skills: skills.length, dim };
}

/** Mends norms that are nearly 1, in place. */
function checkNorms(values: Float32Array, dim: number, name: string): void {
  for (let start = 0; start < values.length; start += dim) {
    let squared = 0;
    for (let i = start; i < start + dim; i++) squared += values[i]! * values[i]!;
    const norm = Math.sqrt(squared);
    const row = `${name} row ${start / dim}`;
    if (!Number.isFinite(norm)) {
      throw unexpected('ERR_NOT_FINITE', row, 'finite numbers', new Prose('NaN or infinity'));
    }
    if (Math.abs(norm - 1) > NORM_TOLERANCE) {
      throw unexpected('ERR_OUT_OF_RANGE', row, 'a vector of norm 1', new Prose(norm.toFixed(4)));
    }
    for (let i = start; i < start + dim; i++) values[i]! /= norm;
  }
}

async function readSkills(path: string): Promise<{ header: Header | undefined; skills: Skill[] }> {
  const skills: Skill[] = [];
  const ids = new Set<string>();
  let header: Header | undefined;
  let number = 0;
  const stream = createReadStream(path);
  const lines = createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY });
  try {
    for await (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      const record = parseLine(line, `${path}:${number}`);
      if (record.kind === 'skillspan') header = readHeader(record, `${path}:${number}`);
      else if (record.kind === 'skill' || record.kind === undefined) {
        const skill = readSkill(record, `${path}:${number}`);
        if (ids.has(skill.id)) {
          throw unexpected(
            'ERR_INVALID_ARGUMENT',
            `${path}:${number} id`,
            'an id of its own',
            skill.id,
          );
        }
        ids.add(skill.id);
        skills.push(skill);
      }
    }
  } catch (error) {
    throw fileError(error, path);
  }
  return { header, skills };
}

function parseLine(line: string, place: string): Record<string, unknown> {
  try {
    const record: unknown = JSON.parse(line);
    if (record !== null && typeof record === 'object' && !Array.isArray(record)) {
      return record as Record<string, unknown>;
    }
  } catch {}
  throw unexpected('ERR_INVALID_ARGUMENT', place, 'a JSON object', line);
}

function readHeader(record: Record<string, unknown>, place: string): Header {
  const { version, fingerprint, dim } = record;
  if (version !== 1) throw unexpected('ERR_INVALID_ARGUMENT', `${place} version`, '1', version);
  if (typeof fingerprint !== 'string' || !Number.isInteger(dim)) {
    throw unexpected('ERR_INVALID_ARGUMENT', place, 'a fingerprint and a dimension', record);
  }
  return record as unknown as Header;
}

function readSkill(record: Record<string, unknown>, place: string): Skill {
  const field = (name: string, otherwise?: string): string => {
    const value = record[name] ?? otherwise;
    if (typeof value === 'string') return value;
    throw unexpected('ERR_INVALID_ARGUMENT', `${place} ${name}`, 'a text', value);
  };
  const id = field('id');
  const name = field('name');
  if (id === '' || name === '') {
    throw unexpected('ERR_INVALID_ARGUMENT', place, 'an id and a name', id === '' ? id : name);
  }
  const metadata = record.metadata ?? {};
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    throw unexpected('ERR_INVALID_ARGUMENT', `${place} metadata`, 'an object', metadata);
  }
  const content = { name, description: field('description', ''), body: field('body', '') };
  return {
    ...content,
    id,
    path: field('path', ''),
    metadata: metadata as Skill['metadata'],
    contentHash: contentHash(content),
  };
}

async function readBytes(path: string): Promise<Buffer> {
  return readFile(path).catch((error: Error) => {
    throw fileError(error, path);
  });
}

async function writeWhole(path: string, parts: Iterable<string | Uint8Array>): Promise<void> {
  const beside = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(beside, 'w');
    try {
      for (const part of parts) await file.write(part as string);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    throw fileError(error, path);
  }
}

function fileError(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined || code.startsWith('ERR_')) return error;
  return unexpected('ERR_FILE', path, 'a file that can be read and written', new Prose(message));
}
