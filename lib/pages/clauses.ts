import type { Sentence } from './prose.ts';

/** Sentences in which an author says what the skill is for, or that something else is not. */
const POSITIVE =
  /\b(?:us(?:e|ed|ing) (?:this|it|these|the skill)\b|use (?:when|for|if|whenever|to)\b|when(?:ever)? (?:the user|you|working|someone|asked)\b|trigger(?:s|ed)? (?:on|when|for|by|with)\b|(?:useful|ideal|best|suited|suitable|perfect|great|designed|intended) (?:for|when|to)\b|(?:invoke|activate|apply|load|choose|pick|call)(?: this| it)?(?: skill)? (?:when|for|if|whenever)\b|should be used\b|also use\b)/i;
const NEGATIVE =
  /\b(?:not (?:for|to be used|intended|meant|suitable|designed|appropriate|recommended)\b|(?:do not|don['’]t|never|should not|shouldn['’]t|cannot|can['’]t) (?:be )?(?:use|used|trigger|invoke|invoked|apply|activate)\b|skip (?:this|it)?\s*(?:skill )?(?:when|if|for)\b|avoid (?:using )?(?:this|it|for|when)\b|out of scope\b|(?:use|see|try|prefer)\b[^.;]{2,80}\binstead\b|instead,? use\b|wrong (?:skill|tool)\b)/i;

/** What makes a negative sentence of a body speak of the skill, and not of something that the skill works on. */
const OF_THE_SKILL =
  /\b(?:this|the) skill\b|^not for\b|^(?:do not|don['’]t) use (?:this|it|for|when|if)\b|\bnot (?:intended|meant|suitable|designed|appropriate) for\b|\bout of scope\b/i;

/** Headings below which every list item is such a clause. */
const POSITIVE_HEADING =
  /^(?!.*\bnot\b)(?:.*\b(?:when to (?:use|apply|invoke|trigger|activate)|use (?:this )?(?:skill )?when|use cases?|use for|triggers?|trigger (?:phrases?|conditions?))\b.*)$/i;
const NEGATIVE_HEADING =
  /(?:\bwhen not to\b|\b(?:do not|don['’]t|not) use\b|\bnot for\b|\bout of scope\b|\bwhen to avoid\b|\bnon-?goals?\b)/i;

export type ClauseKind = 'positive' | 'negative' | undefined;

/** What a sentence says of the skill's use, judged by its words and by the heading above it. */
export function clauseKind({ text, heading }: Sentence): ClauseKind {
  if (NEGATIVE.test(text) || NEGATIVE_HEADING.test(heading)) return 'negative';
  if (POSITIVE.test(text) || POSITIVE_HEADING.test(heading)) return 'positive';
  return undefined;
}

/** Whether a negative sentence of a body is a boundary: bodies are full of advice on how not to do things. */
export function isBoundary({ text, heading }: Sentence): boolean {
  return NEGATIVE_HEADING.test(heading) || OF_THE_SKILL.test(text);
}
