import type { RegistryWarning } from './warning.ts';

/** What a synchronisation found and did. */
export interface SyncReport {
  /** SKILL.md files that are new, that say something else than before, and that are gone. */
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  /** Files that give no skill; `warnings` says why. */
  readonly skipped: number;
  /** Texts embedded now, and texts whose embeddings were there. */
  readonly embedded: number;
  readonly cached: number;
  /** Sorted by path, then line. */
  readonly warnings: readonly RegistryWarning[];
}
