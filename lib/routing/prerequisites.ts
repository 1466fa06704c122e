import type { Skill } from '../registry/registry.ts';

/**
 * Skills that a skill says it needs: `requires` in its front matter or below its `metadata`, a list or
 * a text with commas, of ids or names. Names go to the first skill of that name.
 */
export class Prerequisites {
  readonly #needs: readonly (readonly number[])[];

  constructor(skills: readonly Skill[]) {
    const rows = new Map<string, number>();
    for (const [row, { name }] of skills.entries()) if (!rows.has(name)) rows.set(name, row);
    for (const [row, { id }] of skills.entries()) rows.set(id, row);
    this.#needs = skills.map(({ metadata }, row) => {
      const found = declared(metadata).map((key) => rows.get(key));
      return [...new Set(found)].filter((need) => need !== undefined && need !== row) as number[];
    });
  }

  /** A skill's prerequisites and theirs, nearest first, without the skill itself. */
  of(row: number): number[] {
    const found = new Set([row]);
    for (const next of found) for (const need of this.#needs[next]!) found.add(need);
    found.delete(row);
    return [...found];
  }
}

function declared(metadata: Readonly<Record<string, unknown>>): string[] {
  const inner = metadata.metadata;
  const nested =
    inner !== null && typeof inner === 'object' ? (inner as Record<string, unknown>).requires : [];
  return [...listOf(metadata.requires), ...listOf(nested)];
}

function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list.filter((item) => typeof item === 'string').map((item) => item.trim());
}
