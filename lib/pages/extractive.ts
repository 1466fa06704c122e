import { firstCodePoints } from '../code-points.ts';
import type { Skill } from '../registry/registry.ts';
import { tellingTerms } from '../stop-words.ts';
import { tokenize } from '../tokenize.ts';
import { clauseKind, isBoundary } from './clauses.ts';
import { type CorpusStatistics, OPENING, termsOf } from './corpus-statistics.ts';
import { PAGE_LIMITS, type PageTexts, pageText } from './page.ts';
import { type Sentence, sentencesOf } from './prose.ts';

/** Changes whenever the pages do that this compiler writes. */
export const EXTRACTIVE_VERSION = 'extractive-1';

/** Sentences of more code points are cut in boundaries, and left out of bodies. */
const LONGEST_QUOTE = 110;
const LONGEST_SENTENCE = 300;

/** Sentences of the body of a skill that its page takes over, beside those of the description. */
const FROM_BODY = 3;

/** Code, paths, addresses and markup: nothing for a page. */
const CODE =
  /[`{}[\]<>|\\=$→]|\w\(|::|https?:|\w\/\w+\/|(?:^|\s)[.~]?\/\w|--\w|\w_\w|\w\.(?:py|js|ts|sh|md|json|ya?ml)\b/i;

/** A skill as the compiler reads it. */
interface Read {
  readonly skill: Skill;
  readonly label: string;
  readonly terms: ReadonlySet<string>;
  readonly sentences: readonly Sentence[];
  /** How many of the sentences are the description's. */
  readonly described: number;
}

/**
 * Pages without a language model, one a skill of a neighbourhood, in their order. Every sentence is an
 * author's own, chosen by how much its words tell this skill from its neighbours: terms weigh by their
 * rarity in the registry and by the share of neighbours that lack them. Nothing is invented: where the
 * texts say nothing of a difference, neither does the page.
 * @param skills a neighbourhood, or one skill that has none.
 */
export function compileExtractive(
  skills: readonly Skill[],
  statistics: CorpusStatistics,
): PageTexts[] {
  const read = skills.map((skill) => readSkill(skill, skills));
  return read.map((own) => {
    const others = read
      .filter((other) => other.skill.contentHash !== own.skill.contentHash)
      .sort((a, b) => shared(own, b, statistics) - shared(own, a, statistics));
    const weigh = contrast(own, others, statistics);
    const positiveTrigger = trigger(own, weigh, statistics);
    return {
      positiveTrigger,
      negativeBoundary: boundary(own, others, statistics),
      body: bodyOf(own, others, positiveTrigger, weigh, statistics),
    };
  });
}

function readSkill(skill: Skill, skills: readonly Skill[]): Read {
  const described = sentencesOf(skill.description);
  const isUnique = skills.every(({ id, name }) => id === skill.id || name !== skill.name);
  return {
    skill,
    label: isUnique ? skill.name : skill.id,
    terms: new Set(termsOf(skill)),
    sentences: [...described, ...sentencesOf(skill.body)],
    described: described.length,
  };
}

/** How much two skills have in common, in rarity. */
function shared(own: Read, other: Read, statistics: CorpusStatistics): number {
  let sum = 0;
  for (const term of own.terms) if (other.terms.has(term)) sum += statistics.idf(term);
  return sum / Math.sqrt(1 + other.terms.size);
}

type Weigh = (text: string) => number;

/** How much a text tells a skill from others: the mean weight of its terms, short texts held back. */
function contrast(own: Read, others: readonly Read[], statistics: CorpusStatistics): Weigh {
  return (text) => {
    const terms = tellingTerms(tokenize(text));
    let sum = 0;
    for (const term of terms) {
      if (!own.terms.has(term)) continue;
      const lacking = others.filter((other) => !other.terms.has(term)).length;
      sum += statistics.idf(term) * ((1 + lacking) / (1 + others.length));
    }
    return sum / (terms.length + 4);
  };
}

/** The author's own "use when" clauses, best first; without one the beginning of the description. */
function trigger(own: Read, weigh: Weigh, statistics: CorpusStatistics): string {
  const { skill, sentences, described } = own;
  const usable = (sentence: Sentence) =>
    isTelling(sentence) && !statistics.isShared(sentence.text, skill);
  const byWeight = (some: readonly Sentence[]) =>
    some
      .filter((sentence) => usable(sentence) && clauseKind(sentence) === 'positive')
      .sort((a, b) => weigh(b.text) - weigh(a.text));
  const inDescription = sentences.slice(0, described);
  const inBody = sentences.slice(described).filter((sentence) => isProse(sentence));
  const texts = [
    ...byWeight(inDescription),
    ...inDescription.filter(usable).slice(0, 1),
    ...byWeight(inBody),
  ].map(({ text }) => text);
  const whole = fill(texts, PAGE_LIMITS.positiveTrigger);
  const spare = [skill.description, skill.body, skill.name].find((text) => /\S/.test(text));
  return whole || pageText(spare ?? skill.id, PAGE_LIMITS.positiveTrigger);
}

/** What the author sends elsewhere, then for each neighbour what it says and this skill does not. */
function boundary(own: Read, others: readonly Read[], statistics: CorpusStatistics): string {
  const { skill, sentences, described } = own;
  const isDeclared = (sentence: Sentence, i: number) =>
    clauseKind(sentence) === 'negative' &&
    isTelling(sentence) &&
    (i < described || (isBoundary(sentence) && !CODE.test(sentence.text)));
  const declared = sentences
    .filter(isDeclared)
    .filter(({ text }) => !statistics.isShared(text, skill) && text.length <= LONGEST_SENTENCE)
    .map(({ text }) => text);
  const naming = declared.filter((text) => others.some((other) => mentions(text, other)));
  const named = new Set(others.filter((other) => naming.some((text) => mentions(text, other))));
  const quoted = others
    .filter((other) => !named.has(other))
    .flatMap((other) => {
      const best = mostForeign(other, own, statistics);
      return best === undefined ? [] : [`${quote(best)} is for ${other.label}.`];
    });
  return fill([...naming, ...quoted, ...declared], PAGE_LIMITS.negativeBoundary);
}

/** The sentence of the other's description or triggers that is least like anything this skill says. */
function mostForeign(other: Read, own: Read, statistics: CorpusStatistics): string | undefined {
  const weigh = contrast(other, [own], statistics);
  const candidates = other.sentences.filter(
    (sentence, i) =>
      isTelling(sentence) &&
      (i < other.described || (clauseKind(sentence) === 'positive' && isProse(sentence))) &&
      clauseKind(sentence) !== 'negative' &&
      !statistics.isShared(sentence.text, other.skill) &&
      tellingTerms(tokenize(sentence.text)).some((term) => !own.terms.has(term)),
  );
  const [best] = candidates.sort((a, b) => weigh(b.text) - weigh(a.text));
  return best?.text;
}

function quote(sentence: string): string {
  return `“${pageText(sentence.replace(/[.:;,\s]+$/, ''), LONGEST_QUOTE)}”`;
}

/**
 * What the description says beyond the trigger, then those opening sentences of the body that tell most;
 * no steps, no code, no neighbours.
 */
function bodyOf(
  own: Read,
  others: readonly Read[],
  positiveTrigger: string,
  weigh: Weigh,
  statistics: CorpusStatistics,
): string {
  const { sentences, described, skill } = own;
  const may = (sentence: Sentence) =>
    isTelling(sentence) &&
    isProse(sentence) &&
    clauseKind(sentence) !== 'negative' &&
    !positiveTrigger.includes(sentence.text) &&
    !statistics.isShared(sentence.text, skill) &&
    !others.some((other) => mentions(sentence.text, other));
  const fromBody = sentences
    .slice(described, described + OPENING)
    .filter((sentence) => may(sentence) && /[.!?。]$/.test(sentence.text))
    .filter((sentence) => sentence.text.length <= LONGEST_SENTENCE)
    .sort((a, b) => weigh(b.text) - weigh(a.text))
    .slice(0, FROM_BODY);
  const texts = [...sentences.slice(0, described).filter(may), ...fromBody].map(({ text }) => text);
  return fill(texts, PAGE_LIMITS.body);
}

/** Whether there are words in a sentence that may tell something. */
function isTelling({ text }: Sentence): boolean {
  return tellingTerms(tokenize(text)).length >= 3;
}

/** Whether a sentence of a body is neither a step of a procedure nor full of code. */
function isProse({ text, isStep }: Sentence): boolean {
  return !isStep && !CODE.test(text) && !/^[\p{P}\p{S}]/u.test(text);
}

function mentions(text: string, { skill }: Read): boolean {
  const name = skill.name.toLowerCase();
  return name.length > 3 && /[-_\s]/.test(name) && text.toLowerCase().includes(name);
}

/** As many of the texts, in this order, as fit; of a first one that is too long, the beginning. */
function fill(texts: readonly string[], limit: number): string {
  let filled = '';
  for (const text of new Set(texts)) {
    const joined = filled === '' ? pageText(text, limit) : `${filled} ${text}`;
    if (firstCodePoints(joined, limit) === joined) filled = joined;
  }
  return filled;
}
