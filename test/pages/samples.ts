import type { Page } from '../../lib/pages/page.ts';
import { contentHash, type Skill } from '../../lib/registry/skill-file.ts';

/** A skill in memory. */
export function skill(name: string, description: string, body = ''): Skill {
  const content = { name, description, body };
  return {
    id: `skills/${name}`,
    ...content,
    path: `/skills/${name}/SKILL.md`,
    metadata: {},
    contentHash: contentHash(content),
  };
}

/** A page that is valid. */
export function page(changes: Partial<Page> = {}): Page {
  const hash = 'a'.repeat(64);
  return {
    skill: 'skills/pdf-merge',
    contentHash: hash,
    positiveTrigger: 'Joining several PDF files into one.',
    negativeBoundary: 'Taking a PDF apart: use pdf-split.',
    body: 'Joins PDF files in the order given.',
    provenance: {
      compiler: 'extractive',
      model: null,
      promptVersion: 'extractive-1',
      members: [{ skill: 'skills/pdf-merge', contentHash: hash }],
      date: '2026-12-01T00:00:00.000Z',
      fallback: null,
    },
    ...changes,
  };
}
