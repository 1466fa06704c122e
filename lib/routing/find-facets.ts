import { unexpected } from '../errors.ts';
import { splitIntoFacets } from './facets.ts';
import type { Decomposer, RouteOptions } from './types.ts';

export interface Found {
  /** The clauses of a request; none where it has but one. */
  readonly facets: readonly string[];
  /** Why they are not what the decomposer would have given. */
  readonly problem: string | undefined;
}

/** The facets that the caller gives, or those that a decomposer or punctuation finds. */
export async function findFacets(
  request: string,
  { facets: wanted = true, signal }: RouteOptions,
  decompose: Decomposer | undefined,
): Promise<Found> {
  if (wanted === false) return { facets: [], problem: undefined };
  if (wanted !== true) {
    return { facets: texts('facets', wanted), problem: undefined };
  }
  let problem: string | undefined;
  if (decompose) {
    try {
      const facets = texts('decompose', await decompose(request, signal));
      return { facets: several(facets), problem };
    } catch (error) {
      signal?.throwIfAborted();
      problem = `facets by punctuation: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return { facets: several(splitIntoFacets(request)), problem };
}

function several(facets: readonly string[]): readonly string[] {
  return facets.length > 1 ? facets : [];
}

function texts(name: string, facets: readonly string[]): readonly string[] {
  if (!Array.isArray(facets)) throw unexpected('ERR_INVALID_ARGUMENT', name, 'texts', facets);
  for (const [i, facet] of (facets as readonly string[]).entries()) {
    if (typeof facet === 'string' && facet.trim() !== '') continue;
    throw unexpected('ERR_INVALID_ARGUMENT', `${name}[${i}]`, 'a text', facet);
  }
  return facets;
}
