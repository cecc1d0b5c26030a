/** Chat for tests: scripted answers of each method, and the calls that were made. */
import { ServerError } from '@truecast/core/internal/errors/server-error';
import type { ReceivedEvent } from './chat-events.ts';
import type { ClientChat } from './client-chat.ts';
import type { ChatView } from './wire/chat.ts';
import type { Receipt } from './wire/receipt.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

/** A chat, and each call of it as its name and arguments. */
export interface TestChat {
  readonly chat: ClientChat;
  readonly calls: readonly (readonly [string, ...unknown[]])[];
}

type Answers = { readonly [Name in keyof ClientChat]?: unknown };

/** Creates a chat. An answer is a value, or a function of the arguments. A method without one rejects. */
export function testChat(answers: Answers): TestChat {
  const calls: [string, ...unknown[]][] = [];
  const method = (name: string, answer: unknown) => [
    name,
    async (...values: readonly unknown[]) => {
      calls.push([name, ...values]);
      return typeof answer === 'function' ? (answer as (...given: unknown[]) => unknown)(...values) : answer;
    },
  ];
  const { id, events, ...others } = answers;
  const chat: unknown = {
    read: noAnswer,
    send: noAnswer,
    messages: noAnswer,
    ...Object.fromEntries(Object.entries(others).map(([name, answer]) => method(name, answer))),
    id,
    events: (options: unknown) => {
      calls.push(['events', options]);
      const streamOf = events as ((given: unknown) => unknown) | undefined | ChatStreamEvent[];
      return typeof streamOf === 'function' ? streamOf(options) : eventsOf(streamOf ?? []);
    },
  };
  // Tests call only the methods to which they give an answer.
  return { chat: chat as ClientChat, calls };
}

function noAnswer(): Promise<never> {
  return Promise.reject(refusalOf('no_answer_in_test'));
}

/**
 * A stream of events.
 *
 * @yields each event with an id
 */
export async function* eventsOf(events: readonly ChatStreamEvent[]): AsyncGenerator<ReceivedEvent, void> {
  for (const [index, event] of events.entries()) yield { event, id: `e${index}` };
}

/** Returns the refusal of a server. */
export function refusalOf(code: string): ServerError {
  return new ServerError(code, { code: 'refused', problem: { code, status: 409, title: code } as never });
}

export const receiptOf = (more: Partial<Receipt> = {}): Receipt => ({
  request_id: 'r',
  status: 'succeeded',
  schema_hash: 'x',
  value: { n: 7 },
  value_text: '{"n":7}',
  attempts: [],
  ...more,
});

export const chatViewOf = (more: Partial<ChatView> = {}): ChatView =>
  ({ id: 'chat', status: 'waiting', version: 5, turn_version: 4, tools: [], ...more }) as ChatView;
