import { unexpected } from '../errors.ts';
import { checkTexts, Intake } from './intake.ts';
import { type OnnxRerankerOptions, type RerankerSetup, setUpReranker } from './reranker-setup.ts';
import type { SkillCaps } from './text-form.ts';

export type { OnnxRerankerOptions } from './reranker-setup.ts';

/** Tokens per model run, padding included: few, so that a deadline finds many pairs done. */
const TOKENS_PER_RUN = 256;

export interface RerankOptions {
  /** Once it is aborted the promise rejects with its reason; what was scored has been told. */
  readonly signal?: AbortSignal;
  /** Called as soon as a document has its logit. */
  readonly onScore?: (place: number, logit: number) => void;
}

/** Says how well documents serve a request, reading both together. */
export interface Reranker {
  /** Code points of a skill's parts that the model was trained on. Undefined: no limit but its tokens. */
  readonly caps?: SkillCaps | undefined;
  /**
   * @returns a logit per document, in their order: the higher, the better, and sigmoid(logit) is a
   * probability. Those of one request can be compared.
   * @throws SkillspanError ERR_INVALID_ARGUMENT for something that is not text, ERR_DISPOSED.
   */
  score(
    request: string,
    documents: readonly string[],
    options?: RerankOptions,
  ): Promise<Float32Array>;
  /** Frees the model once the run in flight has ended. Pending calls reject. */
  dispose(): Promise<void>;
}

/**
 * A {@link Reranker} that runs a local ONNX model in a thread of its own: a language model asked for yes
 * or no, or a classifier of pairs. Calls may overlap, and share model runs.
 */
export class OnnxReranker implements Reranker {
  readonly #setup: RerankerSetup;
  readonly #intake: Intake;

  /** Opens a model and proves it on a short pair. Errors: those of OnnxEncoder.open. */
  static async open(options: OnnxRerankerOptions): Promise<OnnxReranker> {
    return new OnnxReranker(await setUpReranker(options), options);
  }

  private constructor(setup: RerankerSetup, options: OnnxRerankerOptions) {
    this.#setup = setup;
    this.#intake = new Intake(setup, {
      name: 'reranker',
      tokensPerRun: TOKENS_PER_RUN,
      deadline: options.deadline,
    });
  }

  get caps(): SkillCaps | undefined {
    return this.#setup.caps;
  }

  /** What the model runs on, such as `cpu`. */
  get provider(): string {
    return this.#setup.provider;
  }

  async score(
    request: string,
    documents: readonly string[],
    { signal, onScore }: RerankOptions = {},
  ): Promise<Float32Array> {
    this.#intake.checkUsable(signal);
    if (typeof request !== 'string') {
      throw unexpected('ERR_INVALID_ARGUMENT', 'request', 'a string', request);
    }
    checkTexts('documents', documents);
    const sequences = await this.#intake.tokenize(
      documents,
      (document) => this.#setup.pair(request, document),
      signal,
    );
    const logits = new Float32Array(documents.length);
    await this.#intake.submit(sequences, {
      signal,
      onRun: (places, rows) => {
        for (const place of places) {
          const logit = rows[place]![0]!;
          if (Number.isNaN(logit)) {
            throw unexpected('ERR_NOT_FINITE', `logit of documents[${place}]`, 'a number', logit);
          }
          logits[place] = logit;
          onScore?.(place, logit);
        }
      },
    });
    return logits;
  }

  dispose(): Promise<void> {
    return this.#intake.dispose();
  }
}
