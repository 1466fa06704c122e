import type { RouteResult, ShortlistedSkill } from '../routing/types.ts';

/** The shortlist as a table, with what each skill kept out below it. */
export function renderShortlist({ skills, noMatch, trace }: RouteResult, size: number): string {
  const widest = Math.max(5, ...skills.map(({ name }) => name.length));
  const lines = skills.flatMap((skill) => [headline(skill, widest), ...keptOut(skill)]);
  const { method, lambda, filled, milliseconds, pool, degraded, reranked } = trace;
  const parameters =
    method === 'topk' || method === 'dpp-cosine' ? method : `${method}, lambda ${lambda}`;
  const ms = (part: number, digits: number) => part.toFixed(digits);
  return [
    ...(noMatch ? [`no match: ${noMatch.reason}`] : []),
    ...(degraded ? [`degraded: ${degraded}`] : []),
    ` #  ${'skill'.padEnd(widest)}  quality  score  step  id`,
    ...lines,
    '',
    `${skills.length} of ${size} skills, from ${pool.length} candidates by ${parameters}` +
      `${filled ? `, ${filled} filled by quality` : ''}; ` +
      `${ms(milliseconds.encode, 1)} ms to encode, ` +
      `${ms(milliseconds.search, 2)} to search, ` +
      `${reranked ? `${ms(milliseconds.rerank, 1)} to rerank ${reranked.done}, ` : ''}${ms(milliseconds.select, 2)} to select`,
  ].join('\n');
}

/** Facets, and for every candidate its parts and what was made of it. */
export function renderExplanation({ skills, trace }: RouteResult): string {
  const { facets, pool } = trace;
  const gains = new Map(skills.map(({ id, gain, reason }) => [id, { gain, reason }]));
  const letters = facets.map((_, f) => letter(f));
  return [
    ...facets.map((facet, f) => `facet ${letters[f]}: ${facet.replace(/\s+/g, ' ')}`),
    ...(facets.length > 0 ? [''] : []),
    ' score  cosine   words  facets  candidate',
    ...pool.map((candidate) => {
      const serves = candidate.facets.map((f) => letters[f]).join('');
      const parts = [
        candidate.score.toFixed(3).padStart(6),
        candidate.similarity.toFixed(3).padStart(6),
        candidate.words.toFixed(1).padStart(6),
        serves.padEnd(6),
      ].join('  ');
      const { nearest } = candidate;
      const chosen = gains.get(candidate.id);
      const gain = chosen?.gain === undefined ? '' : `, gain ${chosen.gain.toFixed(2)}`;
      const why = chosen
        ? `  <- ${chosen.reason}${gain}`
        : nearest
          ? `  (${nearest.id} overlaps it by ${nearest.overlap.toFixed(2)})`
          : '';
      return `${parts}  ${candidate.id}${why}`;
    }),
  ].join('\n');
}

function headline(skill: ShortlistedSkill, widest: number): string {
  const { rank, name, quality, score, step, reason, id } = skill;
  const place = step === undefined || reason === 'pinned' || reason === 'named' ? reason : step;
  return (
    `${String(rank).padStart(2)}  ${name.padEnd(widest)}  ${quality.toFixed(3).padStart(7)}  ` +
    `${score.toFixed(2).padStart(5)}  ${String(place).padStart(4)}  ${id}`
  );
}

function keptOut(skill: ShortlistedSkill): string[] {
  return skill.keptOut.map(
    ({ name, overlap }) => `      kept out ${name} (overlap ${overlap.toFixed(2)})`,
  );
}

function letter(f: number): string {
  return String.fromCharCode(97 + f);
}
