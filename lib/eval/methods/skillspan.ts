import type { Workbench } from '../workbench.ts';
import type { Method } from './method.ts';

/** What this package answers by default: the router, asked as any caller asks it. */
export function skillspan(bench: Workbench): Method {
  return {
    name: 'skillspan',
    dependsOnK: true,
    async rank(request, k) {
      const router = await bench.router();
      const started = performance.now();
      const { skills, trace } = await router.route(request, { k });
      // The router searches and selects in one stage.
      const select = performance.now() - started - trace.milliseconds.encode;
      return {
        ids: skills.map(({ id }) => id),
        milliseconds: { select },
        trace: {
          skills: skills.map(({ id, similarity, quality, step, gain }) => ({
            id,
            score: similarity,
            quality,
            ...(step !== undefined && { step }),
            ...(gain !== undefined && { gain }),
          })),
        },
      };
    },
  };
}
