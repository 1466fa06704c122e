import type { LexicalModel } from '../../contract.ts';
import { tokenize } from '../../tokenize.ts';
import type { Workbench } from '../workbench.ts';
import { type Method, type Ranking, timed } from './method.ts';

/** Damping of reciprocal rank fusion, from its paper. */
const FUSION_CONSTANT = 60;

/** How many hits of each list are fused. */
const FUSION_DEPTH = 100;

interface Scored {
  readonly row: number;
  readonly score: number;
}

/** The k skills of highest cosine with the request. */
export function topk(bench: Workbench): Method {
  return {
    name: 'topk',
    dependsOnK: false,
    async rank(request, k) {
      const query = await bench.encode(request);
      return ranking(bench, ...timed(() => dense(bench, query, k)));
    },
  };
}

/** The k skills whose words fit best. */
export function lexical(bench: Workbench, name: string, model: LexicalModel): Method {
  return {
    name,
    dependsOnK: false,
    async rank(request, k) {
      // Building the index is no part of a search.
      bench.lexical(model);
      return ranking(bench, ...timed(() => words(bench, model, request, k)));
    },
  };
}

/** Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009) of dense search and BM25. */
export function fusion(bench: Workbench): Method {
  return {
    name: 'rrf',
    dependsOnK: false,
    async rank(request, k) {
      bench.lexical('bm25');
      const query = await bench.encode(request);
      const depth = Math.max(FUSION_DEPTH, k);
      return ranking(
        bench,
        ...timed(() => {
          const lists = [dense(bench, query, depth), words(bench, 'bm25', request, depth)];
          return fuse(lists).slice(0, k);
        }),
      );
    },
  };
}

function dense({ index }: Workbench, query: Float32Array, k: number): Scored[] {
  const { ids, scores } = index.searchSync(query, Math.min(k, index.size));
  return [...ids].map((row, i) => ({ row, score: scores[i]! }));
}

function words(bench: Workbench, model: LexicalModel, request: string, k: number): Scored[] {
  const [hits] = bench.lexical(model).searchSync([tokenize(request)], k);
  return [...hits!.ids].map((row, i) => ({ row, score: hits!.scores[i]! }));
}

/** Σ 1 / (60 + rank) over the lists, best first, ties to the lower row. */
function fuse(lists: readonly (readonly Scored[])[]): Scored[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [place, { row }] of list.entries()) {
      scores.set(row, (scores.get(row) ?? 0) + 1 / (FUSION_CONSTANT + place + 1));
    }
  }
  return [...scores]
    .map(([row, score]) => ({ row, score }))
    .sort((a, b) => b.score - a.score || a.row - b.row);
}

function ranking(bench: Workbench, found: readonly Scored[], search: number): Ranking {
  const skills = found.map(({ row, score }) => ({ id: bench.skills[row]!.id, score }));
  return { ids: skills.map(({ id }) => id), milliseconds: { search }, trace: { skills } };
}
