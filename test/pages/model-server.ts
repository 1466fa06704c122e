import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';

export interface Asked {
  /** Names of the skills in the prompt, in its order. */
  readonly names: readonly string[];
  readonly system: string;
  readonly prompt: string;
  readonly temperature: number | undefined;
  readonly authorization: string | undefined;
}

/** What the server does with a call: answers, or misbehaves. */
export type Behaviour = (asked: Asked, response: ServerResponse) => void;

/** An OpenAI-compatible endpoint on loopback that remembers what it was asked. */
export class ModelServer {
  readonly asked: Asked[] = [];
  /** Calls that are being answered, and the most there ever were. */
  open = 0;
  mostOpen = 0;
  behave: Behaviour = answerWell;
  readonly #server = createServer((request, response) => {
    void this.#serve(request, response);
  });

  static async start(): Promise<ModelServer> {
    const server = new ModelServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get baseURL(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  model() {
    return createOpenAICompatible({ name: 'local', baseURL: this.baseURL, apiKey: 'secret' })(
      'writer',
    );
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { messages, temperature } = JSON.parse(body);
    const prompt = JSON.stringify(messages.at(-1).content);
    const asked = {
      names: [...prompt.matchAll(/<name>(.*?)<\/name>/g)].map(([, name]) => name!),
      system: messages[0].content,
      prompt,
      temperature,
      authorization: request.headers.authorization,
    };
    this.asked.push(asked);
    this.open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.open);
    response.on('close', () => {
      this.open -= 1;
    });
    this.behave(asked, response);
  }
}

/** Pages that tell by their texts whose they are. */
export function goodPages(names: readonly string[]) {
  return names.map((name, i) => ({
    label: `s${i + 1}`,
    positiveTrigger: `Asked for ${name}.`,
    negativeBoundary: names.length === 1 ? '' : `Else: ${names[(i + 1) % names.length]}.`,
    body: `Does ${name}.`,
  }));
}

export const answerWell: Behaviour = ({ names }, response) => {
  reply(response, JSON.stringify({ pages: goodPages(names) }));
};

/** A completion with this content. */
export function reply(response: ServerResponse, content: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      id: 'x',
      object: 'chat.completion',
      created: 0,
      model: 'writer',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    }),
  );
}

export function fail(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: `status ${status}`, type: 'x', code: null } }));
}
