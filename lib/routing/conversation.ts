import { unexpected } from '../errors.ts';

/** One turn of a conversation. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Turns that are read of a conversation. */
const LAST_TURNS = 3;

export interface Asked {
  /** What is asked, with what was said before it. */
  readonly whole: string;
  /** What is to be split into facets: the last thing that the user said. */
  readonly last: string;
}

/**
 * A request as text, or a conversation whose last turns are the request.
 * @throws {SkillspanError} `ERR_INVALID_ARGUMENT`.
 */
export function readRequest(request: string | readonly Turn[]): Asked {
  if (typeof request === 'string') {
    return { whole: text('request', request), last: request };
  }
  if (!Array.isArray(request)) {
    throw unexpected('ERR_INVALID_ARGUMENT', 'request', 'a text or turns', request);
  }
  const turns = (request as readonly Turn[]).slice(-LAST_TURNS);
  for (const [i, turn] of turns.entries()) text(`request[${i}].content`, turn?.content);
  const last = turns.findLast(({ role }) => role === 'user');
  if (!last) throw unexpected('ERR_INVALID_ARGUMENT', 'request', 'a turn of the user', request);
  return { whole: turns.map(({ content }) => content).join('\n'), last: last.content };
}

function text(name: string, value: unknown): string {
  if (typeof value !== 'string' || value.trim() === '') {
    throw unexpected('ERR_INVALID_ARGUMENT', name, 'a text', value);
  }
  return value;
}
