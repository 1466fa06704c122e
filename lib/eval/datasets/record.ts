import { Prose, unexpected } from '../../errors.ts';
import type { Place } from './dataset.ts';

/** A JSON object of a dataset, read field by field; every error names place and field. */
export class JsonRecord {
  readonly place: Place;
  readonly #fields: Readonly<Record<string, unknown>>;

  /** @throws {SkillspanError} `ERR_DATASET_INVALID` where the value is no object. */
  constructor(value: unknown, place: Place) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw unexpected('ERR_DATASET_INVALID', place, 'a JSON object', value);
    }
    this.place = place;
    this.#fields = value as Record<string, unknown>;
  }

  has(name: string): boolean {
    return this.#get(name) !== undefined;
  }

  /** A text; `''` where the field is absent or null, as some corpora leave out what is empty. */
  text(name: string): string {
    return this.#read(name, 'a string', '', (value) => typeof value === 'string');
  }

  /** A text of more than white space. */
  filled(name: string): string {
    const isFilled = (value: unknown) => typeof value === 'string' && value.trim() !== '';
    return this.#read<string>(name, 'a string that is not blank', undefined, isFilled);
  }

  /** A list of texts; empty where the field is absent or null. */
  texts(name: string): string[] {
    const isTexts = (value: unknown) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string');
    return this.#read(name, 'an array of strings', [], isTexts);
  }

  /** Numbers of at least 0 by name; none where the field is absent or null. */
  gains(name: string): Map<string, number> {
    const isGains = (value: unknown) =>
      typeof value === 'object' &&
      !Array.isArray(value) &&
      Object.values(value as object).every((gain) => Number.isFinite(gain) && gain >= 0);
    const expected = 'an object of numbers of at least 0';
    return new Map(Object.entries(this.#read<Record<string, number>>(name, expected, {}, isGains)));
  }

  /** The object in a field; an empty one where the field is absent or null. */
  record(name: string): JsonRecord {
    return new JsonRecord(this.#get(name) ?? {}, `${this.place} ${name}`);
  }

  /** What is searched of a skill; each part may be empty. */
  content(bodyField: string): { name: string; description: string; body: string } {
    return {
      name: this.text('name'),
      description: this.text('description'),
      body: this.text(bodyField),
    };
  }

  /** A task may be called `constructor`. */
  #get(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  #read<T>(
    name: string,
    expected: string,
    absent: T | undefined,
    is: (value: unknown) => boolean,
  ): T {
    const value = this.#get(name) ?? absent;
    if (value === undefined) {
      const came = new Prose('none');
      throw unexpected('ERR_DATASET_INVALID', `${this.place} ${name}`, expected, came);
    }
    if (!is(value)) {
      throw unexpected('ERR_DATASET_INVALID', `${this.place} ${name}`, expected, value);
    }
    return value as T;
  }
}
