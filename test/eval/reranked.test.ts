import { describe, expect, it, onTestFinished } from 'vitest';
import { dsrReranked, evaluate, rerank } from '../../lib/eval/index.ts';
import type { Reranker } from '../../lib/index.ts';
import { openBench, tinyDataset } from './bench.ts';

/** Likes short documents. Counts its calls. */
function shortest() {
  const calls: string[] = [];
  const reranker: Reranker = {
    async score(request, documents) {
      calls.push(request);
      return Float32Array.from(documents, (text) => 5 - text.length / 10);
    },
    dispose: async () => {},
  };
  return { reranker, calls };
}

describe('methods with a reranker', () => {
  it('rank by logit, or choose with it for quality, and ask once a request', async () => {
    const dataset = tinyDataset();
    const bench = await openBench(dataset);
    onTestFinished(() => bench.encoder.save());
    const { reranker, calls } = shortest();
    const method = rerank(bench, reranker);
    const { ids } = await method.rank('send an email message', 3);
    // The shortest; of three that are equally long, the nearest to the request first.
    expect(ids).toEqual(['chart', 'mail', 'pdf-read']);
    expect(calls).toEqual(['send an email message']);

    const methods = [rerank(bench, reranker), dsrReranked(bench, reranker)];
    const options = { ks: [1, 2], baseline: 'rerank', resamples: 10 };
    const evaluation = await evaluate(dataset, bench, methods, options);
    expect(Object.keys(evaluation.methods)).toEqual(['rerank', 'dsr-rerank']);
    // Each method asks once for each of three requests, whatever the sizes.
    expect(calls.length).toBe(1 + 2 * 3);
  });

  it('choose no copy of what they have, unlike a ranking', async () => {
    const bench = await openBench(tinyDataset());
    const same: Reranker = {
      score: async (_, documents) => Float32Array.from(documents, () => 1),
      dispose: async () => {},
    };
    const { ids } = await dsrReranked(bench, same, { name: 'mine' }).rank(
      'extract text from pdf',
      5,
    );
    expect(ids.filter((id) => id.startsWith('pdf-read'))).toHaveLength(1);
  });
});
