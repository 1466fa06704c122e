import type { SkillCard } from '../registry/store/stored-skill.ts';
import type { Candidates, Choice } from './choosing.ts';
import type { Policy } from './policy.ts';
import type { KeptOut, Match, Reason, ShortlistedSkill, TracedCandidate } from './types.ts';

/** A share of a facet below this, of a unit vector, is not worth telling. */
const SERVES = 0.5;

/** What is known of each candidate beside its relative score, in the order of the candidates. */
export interface Parts {
  /** Absolute scores. */
  readonly score: ArrayLike<number>;
  /** Cosines and lexical scores of the whole request. */
  readonly similarity: ArrayLike<number>;
  readonly words: ArrayLike<number>;
  /** Logits of a reranker; undefined without one. */
  readonly logit?: ArrayLike<number | undefined>;
}

/**
 * Turns positions among the candidates into skills.
 * @param cardOf what is shown of the skill of a row.
 */
export function toShortlist(
  candidates: Candidates,
  parts: Parts,
  choice: Choice,
  cardOf: (row: number) => SkillCard,
  { pinned, sharpness }: Pick<Policy, 'pinned' | 'sharpness'>,
): { skills: ShortlistedSkill[]; pool: TracedCandidate[] } {
  const { rows, scores, served } = candidates;
  const { order, gains, filled, ranked, overlaps } = choice.selection;
  const nearest = (i: number) => overlaps?.nearest[i] ?? -1;
  const overlap = (i: number) => overlaps?.overlap[i] ?? 0;
  const skillAt = (i: number) => cardOf(rows[i]!);
  const quality = (i: number) => Math.exp(sharpness * (scores[i]! - scores[0]!));
  const facets = (i: number) => (served ? facetsOf(served, rows.length, i) : []);
  const match = (i: number): Match => ({
    score: parts.score[i]!,
    similarity: parts.similarity[i]!,
    words: parts.words[i]!,
    ...(parts.logit && { logit: parts.logit[i] }),
    facets: facets(i),
  });
  const chosen = new Set(ranked);
  const completing = new Set(filled);
  const step = new Map([...order].map((i, t) => [i, t] as const));
  const reasonOf = (i: number): Reason => {
    if (pinned.includes(rows[i]!)) return 'pinned';
    if ((step.get(i) ?? Infinity) < choice.forced) return 'named';
    return completing.has(i) ? 'filled' : 'chosen';
  };

  // The candidates stand in the order of plain top-k, so the first are what that would have shown.
  const keptOut = new Map<number, KeptOut[]>();
  for (let i = 0; i < Math.min(ranked.length, rows.length); i++) {
    const by = nearest(i);
    if (chosen.has(i) || by < 0) continue;
    const { id, name } = skillAt(i);
    const entry = { id, name, score: parts.score[i]!, overlap: overlap(i) };
    keptOut.set(by, [...(keptOut.get(by) ?? []), entry]);
  }

  const shortlist = [...ranked].map((i): Omit<ShortlistedSkill, 'rank'> => {
    const t = step.get(i);
    const free = t !== undefined && t >= choice.forced;
    return {
      ...skillAt(i),
      ...match(i),
      quality: Math.min(quality(i), 1),
      reason: reasonOf(i),
      step: t === undefined ? undefined : t + 1,
      gain: free ? gains[t] : undefined,
      keptOut: keptOut.get(i) ?? [],
    };
  });
  const place = new Map([...rows].map((row, i) => [row, i] as const));
  for (const row of choice.prerequisites) {
    const i = place.get(row);
    shortlist.push({
      ...cardOf(row),
      ...(i === undefined ? NO_MATCH : match(i)),
      quality: i === undefined ? 0 : Math.min(quality(i), 1),
      reason: 'prerequisite',
      step: undefined,
      gain: undefined,
      keptOut: [],
    });
  }
  // Pinned skills are ranked by their true quality, wherever the method was made to put them.
  shortlist.sort((a, b) => b.quality - a.quality);

  return {
    skills: shortlist.map((skill, i) => ({ ...skill, rank: i + 1 })),
    // Spelt out: this is made a hundred times a request.
    pool: Array.from(rows, (_, i) => ({
      id: skillAt(i).id,
      score: parts.score[i]!,
      similarity: parts.similarity[i]!,
      words: parts.words[i]!,
      facets: facets(i),
      quality: quality(i),
      chosen: chosen.has(i),
      nearest: nearest(i) < 0 ? undefined : { id: skillAt(nearest(i)).id, overlap: overlap(i) },
    })),
  };
}

const NO_MATCH: Match = { score: 0, similarity: 0, words: 0, facets: [] };

function facetsOf(served: Float32Array, m: number, i: number): number[] {
  const count = served.length / m;
  const share = (f: number) => served[i * count + f]!;
  const facets: number[] = [];
  for (let f = 0; f < count; f++) if (share(f) >= SERVES) facets.push(f);
  return facets.sort((a, b) => share(b) - share(a));
}
