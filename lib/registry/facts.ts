/** How deep metadata is looked into. */
const DEPTH = 3;

/** Facts kept of one skill: what a filter may ask for, and no more than metadata sensibly hold. */
const MOST_FACTS = 256;
const LONGEST_VALUE = 256;

/** Something that metadata say, by which skills can be filtered. */
export interface Fact {
  /** Keys from the outside in, parted by dots: `license`, `metadata.author`. */
  readonly key: string;
  readonly value: string;
}

/** A fact that a filter asks for: a key, also below `metadata`, that has one of some values. */
export interface FactQuery {
  readonly key: string;
  readonly values: readonly string[];
}

/**
 * The facts of a skill's metadata: texts, numbers and booleans, each of a list by itself. Tags may also
 * be one text with commas.
 */
export function factsOf(metadata: Readonly<Record<string, unknown>>): Fact[] {
  const facts = new Map<string, Fact>();
  const walk = (key: string, value: unknown, depth: number) => {
    if (facts.size >= MOST_FACTS) return;
    if (Array.isArray(value)) {
      for (const item of value) if (!Array.isArray(item)) walk(key, item, depth);
    } else if (value !== null && typeof value === 'object') {
      if (depth === DEPTH) return;
      for (const [inner, own] of Object.entries(value)) walk(`${key}.${inner}`, own, depth + 1);
    } else if (value !== null && value !== undefined) {
      const text = String(value);
      const parts = /(?:^|\.)tags$/.test(key) ? text.split(',').map((tag) => tag.trim()) : [text];
      for (const part of parts) {
        if (part === '' || part.length > LONGEST_VALUE) continue;
        facts.set(JSON.stringify([key, part]), { key, value: part });
      }
    }
  };
  for (const [key, value] of Object.entries(metadata)) walk(key, value, 1);
  return [...facts.values()];
}
