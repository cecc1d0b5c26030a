/** One conversation of a proof: two requests, a stream, and the check of what the client saw. */
import assert from 'node:assert/strict';
import { createClient, type Client } from '../../packages/client/src/create-client.ts';
import type { ClientChat } from '../../packages/client/src/client-chat.ts';
import type { Receipt } from '../../packages/client/src/wire/receipt.ts';
import type { ScriptedReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import { COUNT, submit } from '../server/answers.ts';

const ORIGIN = 'http://chat.invalid';
const format = { type: 'json_schema', json_schema: { name: 'count', schema: { ...COUNT } } } as const;

/** A tool call, a refused answer and a valid one for odd numbers; a valid answer for even ones. */
export function answerNumber({ userText, lastToolResult }: ScriptedTurn): ScriptedReply {
  const n = Number(userText);
  if (n % 2 === 0 || lastToolResult?.name === 'submit_structured_output') {
    return submit(`{"output":{"n":${n}}}`);
  }
  return lastToolResult === undefined ? reply.tool('note', { n }) : submit('{"output":{"n":"none"}}');
}

/** Creates a client that repeats requests until a server answers. */
export function patientClient(token: string, url: () => string): Client {
  return createClient({
    baseURL: ORIGIN,
    token,
    maxRetries: 10_000,
    fetch: (address, init) => fetch(new Request(address, init).url.replace(ORIGIN, url()), init),
  });
}

/** What a conversation left. */
export interface HadConversation {
  readonly chat: ClientChat;
  readonly receipts: readonly Receipt[];
  /** Calls of which the model got the message that their effect is unknown. */
  readonly unknownCalls: readonly number[];
}

/**
 * Sends the numbers `n` and `n + 1`, follows the stream to the end, and checks that every message
 * came once and each request has one receipt with its number.
 */
export async function haveConversation(client: Client, n: number): Promise<HadConversation> {
  const chat = client.chat();
  const first = await chat.send({ content: String(n), response_format: format });
  const second = await chat.send({ content: String(n + 1), response_format: format, busy_behavior: 'queue' });
  const ids = [first.request_id ?? '', second.request_id ?? ''];
  const told = await follow(chat, ids);
  const receipts = await Promise.all(ids.map((id) => chat.request(id, { waitMs: 30_000 })));
  for (const [index, receipt] of receipts.entries()) {
    assert.deepEqual([receipt.status, receipt.value], ['succeeded', { n: n + index }]);
  }
  const { messages } = await chat.messages({ limit: 200 });
  assert.deepEqual(
    told,
    messages.map(({ id }) => id),
  );
  const parts = messages.flatMap(({ content }) => content);
  const outcomes = parts.flatMap((part) => (part.type === 'outcome' ? [part.request_id] : []));
  assert.deepEqual(outcomes, ids);
  const isUnknown = parts.some((part) => part.type === 'tool_result' && part.synthetic === 'unknown');
  return { chat, receipts, unknownCalls: isUnknown ? [n] : [] };
}

/** Returns the ids of the streamed messages, until both receipts are final and the chat waits. */
async function follow(chat: ClientChat, requestIds: readonly string[]): Promise<readonly number[]> {
  const leaving = new AbortController();
  const final = new Set<string>();
  const messageIds: number[] = [];
  for await (const { event } of chat.events({ lastEventId: '0', signal: leaving.signal })) {
    if (event.type === 'message') messageIds.push(event.message.id);
    if (event.type === 'receipt' && !['queued', 'running'].includes(event.receipt.status)) {
      assert(!final.has(event.receipt.request_id), 'a receipt came twice');
      final.add(event.receipt.request_id);
    }
    const isOver = requestIds.every((id) => final.has(id));
    if (isOver && event.type === 'status' && event.status === 'waiting') break;
  }
  leaving.abort();
  return messageIds;
}
