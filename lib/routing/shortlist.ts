import type { RoutedQuery } from '../contract.ts';
import type { Skill } from '../registry/registry.ts';
import type { KeptOut, ShortlistedSkill, TracedCandidate } from './types.ts';

/**
 * Turns positions in a candidate pool into skills.
 * @param routed explained, that is with its overlaps.
 * @param skills the registry, in the order of the index.
 * @param sharpness β of the quality, exp(β (a − max a)).
 */
export function toShortlist(
  routed: RoutedQuery,
  skills: readonly Skill[],
  sharpness: number,
): { skills: ShortlistedSkill[]; pool: TracedCandidate[] } {
  const { ids, similarities, order, gains, ranked } = routed;
  const { nearest, overlap } = routed.overlaps!;
  const skillAt = (i: number) => skills[ids[i]!]!;
  const quality = (i: number) => Math.exp(sharpness * (similarities[i]! - similarities[0]!));
  const chosen = new Set(ranked);
  const step = new Map([...order].map((i, t) => [i, t] as const));

  // The pool stands in the order of plain top-k, so its first k are what that would have shown.
  const keptOut = new Map<number, KeptOut[]>();
  for (let i = 0; i < ranked.length; i++) {
    const by = nearest[i]!;
    if (chosen.has(i) || by < 0) continue;
    const { id, name } = skillAt(i);
    const entry = { id, name, similarity: similarities[i]!, overlap: overlap[i]! };
    keptOut.set(by, [...(keptOut.get(by) ?? []), entry]);
  }

  return {
    skills: [...ranked].map((i, place) => {
      const { id, name, description, path } = skillAt(i);
      const t = step.get(i);
      return {
        id,
        name,
        description,
        path,
        rank: place + 1,
        quality: quality(i),
        similarity: similarities[i]!,
        step: t === undefined ? undefined : t + 1,
        gain: t === undefined ? undefined : gains[t]!,
        keptOut: keptOut.get(i) ?? [],
      };
    }),
    pool: [...ids].map((_, i) => ({
      id: skillAt(i).id,
      similarity: similarities[i]!,
      quality: quality(i),
      chosen: chosen.has(i),
      nearest: nearest[i]! < 0 ? undefined : { id: skillAt(nearest[i]!).id, overlap: overlap[i]! },
    })),
  };
}
