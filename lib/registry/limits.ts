/**
 * How large the parts of a registry may be. What the specification allows (agentskills.io), in Unicode
 * code points, is only ever warned of; what lies beyond the others is left out with a warning.
 */
export const LIMITS = {
  name: 64,
  description: 1_024,
  compatibility: 500,
  /** Bytes of a SKILL.md. Of 23,035 public skills the largest has 0.6 MB. */
  fileBytes: 16 * 1024 * 1024,
  /** Skill files of a registry. */
  files: 1_000_000,
  /** Folders from a root down to a skill. */
  depth: 64,
} as const;
