import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Prose, type SkillspanError, unexpected } from '../../errors.ts';
import { JsonRecord } from './record.ts';

/**
 * The objects of a JSON Lines file, which may be gzipped (`.gz`); blank lines are passed over. Streamed, as a
 * benchmark's pool is larger than the longest string.
 * @throws {SkillspanError} `ERR_DATASET_INVALID` naming file and line.
 */
export async function* readJsonLines(path: string): AsyncGenerator<JsonRecord> {
  let line = 0;
  for await (const text of readLines(path)) {
    line += 1;
    if (text.trim() === '') continue;
    yield new JsonRecord(parse(text, `${path}:${line}`), `${path}:${line}`);
  }
}

/**
 * The value of a JSON file.
 * @throws {SkillspanError} `ERR_DATASET_INVALID` naming the file.
 */
export async function readJson(path: string): Promise<unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    throw unreadable(path, 'JSON in UTF-8', error);
  }
  return parse(text, path);
}

/** The objects of a JSON file that holds an array; the place of one is `file[index]`. */
export async function readJsonArray(path: string): Promise<JsonRecord[]> {
  const value = await readJson(path);
  if (!Array.isArray(value)) {
    throw unexpected('ERR_DATASET_INVALID', path, 'a JSON array', value);
  }
  return value.map((item, i) => new JsonRecord(item, `${path}[${i}]`));
}

/** Split at line feeds alone: a JSON string may hold other line separators as they are. */
async function* readLines(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const bytes of openBytes(path)) {
      const lines = (rest + decoder.decode(bytes as Buffer, { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    rest += decoder.decode();
  } catch (error) {
    throw unreadable(path, 'JSON Lines in UTF-8', error);
  }
  if (rest !== '') yield rest;
}

function openBytes(path: string): AsyncIterable<unknown> {
  const file = createReadStream(path);
  // What goes wrong reaches whoever reads the last stream.
  return path.endsWith('.gz') ? pipeline(file, createGunzip(), () => {}) : file;
}

function parse(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(place, 'JSON', error);
  }
}

function unreadable(place: string, expected: string, cause: unknown): SkillspanError {
  const came = new Prose((cause as Error).message);
  return unexpected('ERR_DATASET_INVALID', place, expected, came, { cause });
}
