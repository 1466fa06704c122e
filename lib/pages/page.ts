import { z } from 'zod';
import { firstCodePoints } from '../code-points.ts';
import { Prose, unexpected } from '../errors.ts';

/** Unicode code points that each text of a page may have (arXiv 2608.04482). */
export const PAGE_LIMITS = { positiveTrigger: 400, negativeBoundary: 400, body: 600 } as const;

/** How a page came to be: by contrastive statistics over the authors' own sentences, or by a model. */
const COMPILERS = ['extractive', 'language-model'] as const;
export type Compiler = (typeof COMPILERS)[number];

function textOf(limit: number) {
  return z
    .string()
    .refine((text) => firstCodePoints(text, limit) === text, `at most ${limit} code points`)
    .refine((text) => text === oneLine(text), 'one line without white space around it');
}

const hash = z.string().regex(/^[\da-f]{64}$/, 'a SHA-256 in hexadecimal');

const memberSchema = z.strictObject({ skill: z.string().min(1), contentHash: hash });

const pageSchema = z.strictObject({
  skill: z.string().min(1),
  contentHash: hash,
  positiveTrigger: textOf(PAGE_LIMITS.positiveTrigger).min(1),
  negativeBoundary: textOf(PAGE_LIMITS.negativeBoundary),
  body: textOf(PAGE_LIMITS.body),
  provenance: z.strictObject({
    compiler: z.enum(COMPILERS),
    model: z.string().nullable(),
    promptVersion: z.string().min(1),
    members: z.array(memberSchema).min(1),
    date: z.iso.datetime(),
    fallback: z.string().nullable(),
  }),
});

/** A skill and the content that it had. */
export type Member = Readonly<z.infer<typeof memberSchema>>;

/** What a page says; all three are one line each. */
export interface PageTexts {
  /** T⁺: which requests belong here. Never empty. */
  readonly positiveTrigger: string;
  /** T⁻: which similar requests belong elsewhere, and where; empty where nothing is known of any. */
  readonly negativeBoundary: string;
  /** B: what the skill does that tells it apart. May be empty. */
  readonly body: string;
}

/** What a page was made of; with it one can tell whether the page is still true. */
export interface Provenance {
  readonly compiler: Compiler;
  /** The language model's name; null for the extractive compiler. */
  readonly model: string | null;
  /** Of the prompts, or of the extractive compiler's rules. */
  readonly promptVersion: string;
  /** The neighbourhood that was compared, the skill itself included, by id. */
  readonly members: readonly Member[];
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Why this is not the page that was asked for; null where it is. */
  readonly fallback: string | null;
}

/** A capability page (arXiv 2608.04482): what tells a skill from those it is confused with. */
export interface Page extends PageTexts {
  /** Id of the skill. */
  readonly skill: string;
  /** Of the content that the page describes. */
  readonly contentHash: string;
  readonly provenance: Provenance;
}

/**
 * A page, checked.
 * @param place where the value stands, for the error.
 * @throws {SkillspanError} `ERR_PAGE_INVALID` naming place, field and what is wrong with it.
 */
export function readPage(value: unknown, place: string): Page {
  const { success, data, error } = pageSchema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  const field = issue!.path.join('.');
  const came = new Prose(`another value (${issue!.message})`);
  const name = [place, field].filter(Boolean).join(' ');
  throw unexpected('ERR_PAGE_INVALID', name, 'a capability page', came);
}

/** A text as pages hold it: on one line, cut to so many code points, at the end of a word if need be. */
export function pageText(text: string, limit: number): string {
  const line = oneLine(text);
  const cut = firstCodePoints(line, limit);
  if (cut === line) return line;
  const shorter = firstCodePoints(line, limit - 1);
  const end = shorter.lastIndexOf(' ');
  // A long word, or a script without spaces, is cut where it has to be.
  return `${shorter.slice(0, end > limit / 2 ? end : undefined).trimEnd()}…`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
