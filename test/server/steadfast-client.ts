/** Client that sends two messages and waits for both answers, whatever happens to its server. */
import { z } from 'zod';
import { createClient } from '../../packages/client/src/create-client.ts';
import type { ReceivedEvent } from '../../packages/client/src/chat-events.ts';
import type { ClientChat } from '../../packages/client/src/client-chat.ts';
import type { MessageView } from '../../packages/client/src/wire/message.ts';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import { ASK_USER, COUNT } from './answers.ts';

const ORIGIN = 'http://chat.invalid';

/** Observations of the client. */
export interface Conversation {
  readonly chatId: string;
  readonly requestIds: readonly string[];
  readonly receipts: readonly Receipt[];
  readonly messages: readonly MessageView[];
  /** All stream events, over all its connections. */
  readonly events: readonly ReceivedEvent[];
  /** How often each call's result was requested from the client. */
  readonly asked: ReadonlyMap<string, number>;
}

/** Options of the client. */
export interface ConversationOptions {
  readonly token: string;
  /** Current address of the server, or of another one with the same database. */
  readonly url: () => string;
  /** Called once both messages are accepted. */
  readonly onSent: () => void;
}

/**
 * Sends two messages, runs its own tool, waits for both receipts, and follows the stream to its
 * end.
 */
export async function converse({ token, url, onSent }: ConversationOptions): Promise<Conversation> {
  const client = createClient({
    baseURL: ORIGIN,
    token,
    maxRetries: 1_000,
    fetch: (address, init) => fetch(new Request(address, init).url.replace(ORIGIN, url()), init),
  });
  const format = { type: 'json_schema', json_schema: { name: 'count', schema: { ...COUNT } } } as const;
  const chat = client.chat({
    tools: { [ASK_USER.name]: { inputSchema: z.looseObject({}), execute: () => 'ok' } },
  });
  const first = await chat.send({ content: 'First', response_format: format });
  const following = follow(chat);
  const second = await chat.send({ content: 'Second', response_format: format, busy_behavior: 'queue' });
  onSent();
  const requestIds = [first.request_id ?? '', second.request_id ?? ''];
  const receipts = await Promise.all(requestIds.map((id) => untilFinal(chat, id)));
  const { events, asked } = await following.until(receipts);
  const { messages } = await chat.messages({ limit: 200 });
  return { chatId: first.chatId, requestIds, receipts, messages, events, asked };
}

/** Waits for a final receipt, with as many long polls as needed. */
export async function untilFinal(chat: ClientChat, requestId: string): Promise<Receipt> {
  for (;;) {
    const receipt = await chat.request(requestId, { waitMs: 30_000 });
    if (isFinal(receipt)) return receipt;
  }
}

function isFinal({ status }: Receipt): boolean {
  return status !== 'queued' && status !== 'running';
}

interface Following {
  /** Waits until the stream has reported these receipts and the end of the last turn. */
  until(receipts: readonly Receipt[]): Promise<Pick<Conversation, 'events' | 'asked'>>;
}

function follow(chat: ClientChat): Following {
  const leaving = new AbortController();
  const events: ReceivedEvent[] = [];
  const asked = new Map<string, number>();
  const ended = Promise.withResolvers<undefined>();
  let final = 0;
  const read = async (): Promise<void> => {
    for await (const received of chat.events({ lastEventId: '0', signal: leaving.signal })) {
      events.push(received);
      const { event } = received;
      if (event.type === 'receipt' && isFinal(event.receipt)) final += 1;
      if (event.type === 'action_required') await answer(event);
      if (final >= 2 && event.type === 'status' && event.status === 'waiting') ended.resolve(undefined);
    }
  };
  const answer = async ({
    tool_calls,
  }: {
    tool_calls: readonly { tool_call_id: string }[];
  }): Promise<void> => {
    const fresh = tool_calls.filter(({ tool_call_id }) => !asked.has(tool_call_id));
    for (const { tool_call_id: id } of tool_calls) asked.set(id, (asked.get(id) ?? 0) + 1);
    if (fresh.length === 0) return;
    await chat.submitToolResults(fresh.map(({ tool_call_id }) => ({ tool_call_id, output: 'ok' })));
  };
  const reading = read();
  reading.catch(ended.reject);
  return {
    until: async () => {
      await ended.promise;
      leaving.abort();
      await reading.catch(() => undefined);
      return { events, asked };
    },
  };
}
