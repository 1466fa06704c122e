import { describe, expect, it } from 'vitest';
import { type Reranker, type RouteOptions, type Skill, SkillRouter } from '../../lib/index.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const names = ['chart', 'mail', 'sheet', 'table', 'letter', 'graph'];
const skills: Skill[] = names.map((name) => ({
  id: name,
  name,
  description: `${name} things`,
  body: `All about the ${name}.`,
  path: `/${name}/SKILL.md`,
  metadata: {},
  contentHash: name,
}));

type Scoring = Reranker['score'];

/** Gives each document the logit of its skill's name, one after the other, and waits before the nth. */
function byName(logits: Record<string, number>, wait: { before?: number } = {}) {
  const asked: { request: string; documents: string[] }[] = [];
  const score: Scoring = async (request, documents, { signal, onScore } = {}) => {
    asked.push({ request, documents: [...documents] });
    const answer = new Float32Array(documents.length);
    for (const [place, document] of documents.entries()) {
      if (place === wait.before) {
        await new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      }
      answer[place] = logits[document.split(' ')[0]!] ?? 0;
      onScore?.(place, answer[place]);
    }
    return answer;
  };
  return { asked, score, dispose: async () => {} };
}

async function routed(reranker: Reranker | undefined, options: RouteOptions = {}) {
  const router = await SkillRouter.from(skills, {
    encoder: new WordEncoder(),
    cacheDir: await temporaryFolder(),
    ...(reranker && { reranker }),
  });
  const request = 'make a chart of the sheet';
  return router
    .route(request, { k: 6, method: 'topk', ...options })
    .finally(() => router.dispose());
}

const LOGITS = { chart: -2, mail: 3, sheet: 1, table: 0, letter: -4, graph: 2 };

describe('a reranker', () => {
  it('gives the order and the quality of the candidates', async () => {
    const reranker = byName(LOGITS);
    const { skills: chosen, trace } = await routed(reranker);
    expect(chosen.map(({ id }) => id)).toEqual([
      'mail',
      'graph',
      'sheet',
      'table',
      'chart',
      'letter',
    ]);
    const sigmoid = (h: number) => 1 / (1 + Math.exp(-h));
    for (const { id, quality, logit } of chosen) {
      expect(logit).toBe(LOGITS[id as keyof typeof LOGITS]);
      expect(quality).toBeCloseTo(sigmoid(logit!) / sigmoid(3), 6);
    }
    expect(trace).toMatchObject({ reranked: { pool: 6, done: 6 }, degraded: undefined });
    expect(reranker.asked).toMatchObject([{ request: 'make a chart of the sheet' }]);
    expect(reranker.asked[0]!.documents).toContain('mail | mail things | All about the mail.');
  });

  it('decides the first pick of DSR too', async () => {
    const { skills: chosen } = await routed(byName(LOGITS), { method: 'dsr', k: 2 });
    expect(chosen[0]).toMatchObject({ id: 'mail', step: 1 });
  });

  it('is shown as much of a skill as it was trained on', async () => {
    const reranker = { ...byName(LOGITS), caps: { description: 4, body: 3 } };
    await routed(reranker);
    expect(reranker.asked[0]!.documents).toContain('mail | mail | All');
  });

  it('reads the best candidates; the others follow the line of those', async () => {
    const { skills: best } = await routed(undefined);
    const plain = best.map(({ id }) => id);
    // Logits on a line through the scores: so it goes on below.
    const falling = Object.fromEntries(best.map(({ id, score: s }) => [id, 10 * s]));
    const { skills: chosen, trace } = await routed(byName(falling), { rerankPool: 4 });
    expect(trace).toMatchObject({ reranked: { pool: 4, done: 4 }, degraded: undefined });
    expect(chosen.map(({ id }) => id)).toEqual(plain);
    expect(chosen.map(({ logit }) => logit === undefined)).toEqual([
      ...[false, false, false, false],
      ...[true, true],
    ]);
    // Where it says the contrary, similarity says nothing: the mean, in the old order.
    const rising = Object.fromEntries(plain.map((id, i) => [id, i]));
    const turned = await routed(byName(rising), { rerankPool: 4 });
    const [a, b, c, d, e, f] = plain;
    expect(turned.skills.map(({ id }) => id)).toEqual([d, c, e, f, b, a]);
  });

  it('is given so much time, and what it has done by then serves', async () => {
    const { trace } = await routed(byName(LOGITS, { before: 4 }), { rerankBudgetMs: 20 });
    expect(trace).toMatchObject({
      reranked: { pool: 6, done: 4 },
      degraded: '4 of 6 candidates reranked in 20 ms, the others by their similarity',
    });
  });

  it('that has hardly begun changes nothing', async () => {
    const plain = await routed(undefined);
    const { skills: chosen, trace } = await routed(byName(LOGITS, { before: 1 }), {
      rerankBudgetMs: 20,
    });
    expect(chosen.map(({ id }) => id)).toEqual(plain.skills.map(({ id }) => id));
    expect(trace.degraded).toBe('1 of 6 candidates reranked in 20 ms, similarity alone');
    expect(plain.trace).toMatchObject({ reranked: undefined, degraded: undefined });
  });

  it('that does not heed its signal is not waited for', async () => {
    const deaf = { score: () => new Promise<Float32Array>(() => {}), dispose: async () => {} };
    const { trace } = await routed(deaf, { rerankBudgetMs: 20 });
    expect(trace.degraded).toMatch(/^0 of 6 candidates reranked in 20 ms/);
  });

  it('that fails is done without', async () => {
    const broken = {
      score: () => Promise.reject(new Error('out of memory')),
      dispose: async () => {},
    };
    const { skills: chosen, trace } = await routed(broken);
    expect(chosen).toHaveLength(6);
    expect(trace).toMatchObject({
      reranked: undefined,
      degraded: 'no reranking, similarity alone: out of memory',
    });
  });

  it('stops with the reason of the caller’s signal', async () => {
    const controller = new AbortController();
    const reason = new Error('no longer wanted');
    const reranker = byName(LOGITS, { before: 0 });
    const pending = routed(reranker, { signal: controller.signal });
    const stop = setInterval(() => reranker.asked.length > 0 && controller.abort(reason), 5);
    await expect(pending).rejects.toBe(reason);
    clearInterval(stop);
  });

  it.each([{ rerankPool: 0 }, { rerankBudgetMs: -1 }])('refuses %o', async (options) => {
    await expect(routed(byName(LOGITS), options)).rejects.toMatchObject({
      code: 'ERR_OUT_OF_RANGE',
    });
  });
});
