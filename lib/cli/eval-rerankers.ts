import { rankWith } from '../ai/rank.ts';
import type { Method } from '../eval/methods/method.ts';
import { dsrReranked, rerank } from '../eval/methods/reranked.ts';
import type { Workbench } from '../eval/workbench.ts';
import { OnnxReranker, type Reranker } from '../models/reranker.ts';
import { type EndpointFlags, openModel } from './endpoint.ts';

export interface RerankerFlags extends EndpointFlags {
  reranker?: string;
}

/** The rerankers that the flags of `eval` name. */
export interface Rerankers {
  readonly model: Reranker | undefined;
  readonly llm: Reranker | undefined;
}

/** @throws {SkillspanError} as OnnxReranker.open; `ERR_INVALID_ARGUMENT` for half an endpoint. */
export async function openRerankers(flags: RerankerFlags): Promise<Rerankers> {
  const { reranker, llm, baseUrl } = flags;
  return {
    llm: llm || baseUrl ? rankWith(await openModel(flags)) : undefined,
    model: reranker === undefined ? undefined : await OnnxReranker.open({ model: reranker }),
  };
}

/** The papers' methods that read request and skill together. */
export function rerankedMethods(bench: Workbench, { model, llm }: Rerankers): Method[] {
  return [
    ...(model
      ? [
          rerank(bench, model),
          dsrReranked(bench, model, { method: 'dpp-cosine' }),
          dsrReranked(bench, model),
        ]
      : []),
    ...(llm ? [rerank(bench, llm, { name: 'llm-rank' })] : []),
  ];
}
