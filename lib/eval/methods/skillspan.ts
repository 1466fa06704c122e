import type { Workbench } from '../workbench.ts';
import type { Method } from './method.ts';

/** What this package answers by default: the router, asked as any caller asks it. */
export function skillspan(bench: Workbench): Method {
  return {
    name: 'skillspan',
    dependsOnK: true,
    async rank(request, k) {
      const router = await bench.router();
      const { skills, trace } = await router.route(request, { k });
      const { search, select } = trace.milliseconds;
      return {
        ids: skills.map(({ id }) => id),
        milliseconds: { search, select },
        trace: {
          facets: [...trace.facets],
          skills: skills.map(({ id, score, quality, step, gain }) => ({
            id,
            score,
            quality,
            ...(step !== undefined && { step }),
            ...(gain !== undefined && { gain }),
          })),
        },
      };
    },
  };
}
