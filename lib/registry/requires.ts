/**
 * What a skill says it needs: `requires` in its front matter or below its `metadata`, a list or a text
 * with commas, of ids or names. Each once.
 */
export function requiredBy(metadata: Readonly<Record<string, unknown>>): string[] {
  const inner = metadata.metadata;
  const nested =
    inner !== null && typeof inner === 'object' ? (inner as Record<string, unknown>).requires : [];
  return [...new Set([...listOf(metadata.requires), ...listOf(nested)])];
}

function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [];
  return list.filter((item) => typeof item === 'string').map((item) => item.trim());
}
