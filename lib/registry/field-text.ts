import type { Field } from './fields.ts';
import { normaliseText, removeInvisible } from './text.ts';
import type { Warn } from './warning.ts';

/** The field of that name; failing this one that differs only in case, with a warning. */
export function findField(
  fields: ReadonlyMap<string, Field> | undefined,
  name: 'name' | 'description',
  warn: Warn,
): Field | undefined {
  const exact = fields?.get(name);
  if (exact) return exact;
  const [key, field] = [...(fields ?? [])].find(([key]) => key.toLowerCase() === name) ?? [];
  if (field) warn('key-case', field.line, `${key} was read as ${name}`);
  return field;
}

/** The value of a field as clean text, whatever its type; empty where there is none. */
export function fieldText(field: Field | undefined, warn: Warn): string {
  if (field === undefined || field.value === null) return '';
  const { value, comment, line } = field;
  if (typeof value !== 'string') {
    const type = Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'a mapping'
        : typeof value;
    warn('value-not-text', line, `expected text, got ${type}`);
  }
  if (comment !== undefined) warn('value-cut', line, `left out, as a YAML comment: #${comment}`);
  // The file was normalised before, but a quoted scalar can spell any character as an escape.
  const warnHere: Warn = (code, _line, message) => warn(code, line, message);
  return removeInvisible(normaliseText(plainText(field), warnHere), warnHere).trim();
}

function plainText({ value, source }: Field): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? flatten(value) : (source ?? String(value));
}

function flatten(value: unknown): string {
  if (Array.isArray(value)) return value.map(flatten).join(', ');
  if (value === null || typeof value !== 'object') return String(value ?? '');
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${flatten(inner)}`)
    .join(', ');
}
