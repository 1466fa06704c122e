import type { Encoder } from '../models/encoder.ts';
import type { Skill } from '../registry/registry.ts';
import { tellingTerms } from '../stop-words.ts';
import { tokenize } from '../tokenize.ts';
import { numberBetween } from '../validate.ts';
import type { Page } from './page.ts';

export type FindingCode =
  | 'trigger-vague'
  | 'trigger-overlap'
  | 'boundary-missing'
  | 'boundary-names-no-neighbour'
  | 'boundary-unknown-skill'
  | 'body-missing'
  | 'body-names-neighbour'
  | 'code'
  | 'procedure'
  | 'benchmark-identifier';

/** Something in a page that an editor would mend. */
export interface Finding {
  readonly skill: string;
  readonly code: FindingCode;
  readonly message: string;
}

export interface AuditOptions {
  /** Embeds the triggers; without one, overlaps are not looked for. */
  encoder?: Encoder;
  /** Triggers of neighbours that are at least so like one another overlap, in [−1, 1]. Default 0.92. */
  overlap?: number;
  signal?: AbortSignal;
}

/** Fewer telling words say nothing. */
const FEWEST_TERMS = 3;

const CODE =
  /`|[{}<>\\|]|\w\(\)|\s--\w|(?:^|\s)[.~]?\/\w|\w+_\w+_|\w+\.(?:py|js|ts|sh|md|json|ya?ml)\b/;
const PROCEDURE = /\bstep \d|(?:^|\s)\d\.\s+\p{Lu}|\bfirst,? .{3,80}\bthen\b|→/iu;
const BENCHMARK =
  /\b(?:seal-?tools|metatool|toolbench|toolalpaca|skillrouter|sra-?bench|swe-?bench|humaneval|gsm8k|mmlu|(?:task|query|instance)[-_ ]?(?:id)?[-_#:]\s?\d+)\b/i;
/** A name of several parts where a boundary sends a request. */
const SENT_TO =
  /(?:\bis for|\buse|\bsee|\btry|\bprefer|\bgoes? to|\bbelongs? to|→)\s+["'“`/]?(\w+(?:[-_:/]\w+)+)/giu;

/**
 * What is wrong with pages: vague or overlapping triggers, boundaries that name no neighbour or a skill that there
 * is not, code, procedures and benchmark identifiers. In the order of the skills.
 * @throws {SkillspanError} `ERR_OUT_OF_RANGE`; what the encoder throws.
 */
export async function auditPages(
  skills: readonly Skill[],
  pages: ReadonlyMap<string, Page>,
  { encoder, overlap = 0.92, signal }: AuditOptions = {},
): Promise<Finding[]> {
  numberBetween('overlap', overlap, -1, 1);
  const byId = new Map(skills.map((skill) => [skill.id, skill]));
  const names = new Set(skills.flatMap(({ id, name }) => [name, id, id.split('/').at(-1)!]));
  const findings: Finding[] = [];
  for (const { id } of skills) {
    const page = pages.get(id);
    if (!page) continue;
    const add = (code: FindingCode, message: string) => findings.push({ skill: id, code, message });
    const neighbours = page.provenance.members
      .map(({ skill }) => byId.get(skill))
      .filter((skill) => skill !== undefined && skill.id !== id && differs(skill, page));
    auditTrigger(page, pages, add);
    auditBoundary(page, neighbours as Skill[], names, add);
    auditBody(page, neighbours as Skill[], add);
  }
  if (encoder) findings.push(...(await overlaps(pages, byId, encoder, overlap, signal)));
  const place = new Map(skills.map(({ id }, i) => [id, i]));
  return findings.sort((a, b) => place.get(a.skill)! - place.get(b.skill)!);
}

/** Copies of a skill are no neighbours: nothing parts them. */
function differs(neighbour: Skill, page: Page): boolean {
  return neighbour.contentHash !== page.contentHash;
}

type Add = (code: FindingCode, message: string) => void;

function auditTrigger(
  { skill, positiveTrigger, provenance }: Page,
  pages: ReadonlyMap<string, Page>,
  add: Add,
): void {
  const terms = tellingTerms(tokenize(positiveTrigger));
  if (terms.length < FEWEST_TERMS) {
    add(
      'trigger-vague',
      `expected ${FEWEST_TERMS} telling words, got ${terms.join(', ') || 'none'}`,
    );
    return;
  }
  const others = provenance.members
    .filter((member) => member.skill !== skill)
    .flatMap((member) => pages.get(member.skill)?.positiveTrigger ?? []);
  const said = others.map((text) => new Set(tokenize(text)));
  if (said.length > 0 && terms.every((term) => said.some((some) => some.has(term)))) {
    add('trigger-vague', 'every word of the trigger is in the triggers of neighbours');
  }
}

function auditBoundary(
  { negativeBoundary }: Page,
  neighbours: readonly Skill[],
  names: ReadonlySet<string>,
  add: Add,
): void {
  if (neighbours.length > 0) {
    if (negativeBoundary === '') add('boundary-missing', 'there are neighbours, and no boundary');
    else if (!neighbours.some((neighbour) => isNamed(neighbour, negativeBoundary))) {
      const ids = neighbours.map(({ name }) => name).join(', ');
      add('boundary-names-no-neighbour', `expected one of ${ids}`);
    }
  }
  for (const [, name] of negativeBoundary.matchAll(SENT_TO)) {
    // Ranges, dates and versions are no names.
    if (!names.has(name!) && /\p{L}/u.test(name!))
      add('boundary-unknown-skill', `there is no skill ${name}`);
  }
}

function auditBody(page: Page, neighbours: readonly Skill[], add: Add): void {
  const { positiveTrigger, negativeBoundary, body } = page;
  if (body === '' && page.provenance.compiler === 'language-model') {
    add('body-missing', 'expected a body');
  }
  const named = neighbours.find((neighbour) => isNamed(neighbour, body));
  if (named) add('body-names-neighbour', `the body names ${named.name}`);
  const code = CODE.exec(body);
  if (code) add('code', `the body has code or a path: ${code[0].trim()}`);
  const procedure = PROCEDURE.exec(body);
  if (procedure) add('procedure', `the body has steps: ${procedure[0].trim()}`);
  const identifier = BENCHMARK.exec([positiveTrigger, negativeBoundary, body].join('\n'));
  if (identifier) add('benchmark-identifier', `the page names ${identifier[0]}`);
}

/** Whether a text has the name of a skill or its id, as a whole word. */
function isNamed({ name, id }: Skill, text: string): boolean {
  const lower = text.toLowerCase();
  return [name, id].some((label) => {
    const at = lower.indexOf(label.toLowerCase());
    if (at < 0) return false;
    const around = (lower[at - 1] ?? ' ') + (lower[at + label.length] ?? ' ');
    return !/[\p{L}\p{N}_-]/u.test(around);
  });
}

/** Pairs of neighbours whose triggers are too much alike; each pair once, told of both. */
async function overlaps(
  pages: ReadonlyMap<string, Page>,
  skills: ReadonlyMap<string, Skill>,
  encoder: Encoder,
  least: number,
  signal: AbortSignal | undefined,
): Promise<Finding[]> {
  const pairs = [...pages.values()].flatMap((page) =>
    page.provenance.members
      .map(({ skill }) => pages.get(skill))
      .filter((other) => other !== undefined && other.skill > page.skill)
      .map((other) => [page, other!] as const),
  );
  const present = pairs.filter(
    ([a, b]) => skills.has(a.skill) && skills.has(b.skill) && a.contentHash !== b.contentHash,
  );
  const texts = [...new Set(present.flat().map(({ positiveTrigger }) => positiveTrigger))];
  if (texts.length === 0) return [];
  const options = { kind: 'document' as const, ...(signal && { signal }) };
  const vectors = await encoder.encode(texts, options);
  const at = new Map(texts.map((text, i) => [text, i * encoder.dim]));
  return present.flatMap(([a, b]) => {
    let cosine = 0;
    const [x, y] = [at.get(a.positiveTrigger)!, at.get(b.positiveTrigger)!];
    for (let t = 0; t < encoder.dim; t++) cosine += vectors[x + t]! * vectors[y + t]!;
    if (cosine < least) return [];
    const finding = (own: Page, other: Page): Finding => ({
      skill: own.skill,
      code: 'trigger-overlap',
      message: `the trigger is like that of ${other.skill} (${cosine.toFixed(2)})`,
    });
    return [finding(a, b), finding(b, a)];
  });
}
