/** Turn routes: interruption, tool results, compaction, and receipts. */
import { z } from 'zod';
import { toZod } from '../../contract/to-zod.ts';
import { chatView } from '@truecast/client/internal/wire/chat';
import { toolResultsBody, type ToolResultsBody } from '@truecast/client/internal/wire/message';
import { receipt } from '@truecast/client/internal/wire/receipt';
import type { Chat } from '../../state/rows/chat-records.ts';
import { answerOnce } from '../idempotent.ts';
import { chatIdOf, defineRoute, type Call, type JsonAnswer, type HttpRoute } from '../route.ts';
import { toChatView } from '../views.ts';

const MAX_WAIT_SECONDS = 60;
const wait = { error: `Must be a number of seconds from 0 to ${MAX_WAIT_SECONDS}` };
const waitQuery = z.strictObject({
  wait: z.coerce.number(wait).min(0, wait).max(MAX_WAIT_SECONDS, wait).default(0),
});

const ANSWER_CHAT = { status: 200, description: 'The chat', schema: toZod(chatView) };

/** The routes, in documentation order. */
export const TURN_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'post',
    path: '/api/chats/:id/interrupt',
    operationId: 'interruptChat',
    summary: 'Interrupt the current turn; the streamed text is kept',
    answer: ANSWER_CHAT,
    async handle(call) {
      const chat = await call.parts.machine.interrupt({ owner: call.owner, chatId: chatIdOf(call) });
      return { status: 200, body: toChatView(chat) };
    },
  }),
  defineRoute<ToolResultsBody>({
    method: 'post',
    path: '/api/chats/:id/tool_results',
    operationId: 'submitToolResults',
    summary: 'Submit the results of all calls that the chat waits for, in one request',
    body: toZod(toolResultsBody),
    takesIdempotencyKey: true,
    answer: ANSWER_CHAT,
    handle: submitToolResults,
  }),
  defineRoute({
    method: 'post',
    path: '/api/chats/:id/compact',
    operationId: 'compactChat',
    summary: 'Summarize the history of an idle chat now',
    answer: ANSWER_CHAT,
    async handle(call) {
      const chat = await call.parts.machine.requestCompaction({ owner: call.owner, chatId: chatIdOf(call) });
      return { status: 200, body: toChatView(chat) };
    },
  }),
  defineRoute<Record<string, never>, z.infer<typeof waitQuery>>({
    method: 'get',
    path: '/api/chats/:id/requests/:rid',
    operationId: 'readRequest',
    summary: 'Read a receipt; `wait` is how many seconds to wait until it is final',
    query: waitQuery,
    answer: { status: 200, description: 'The current receipt', schema: toZod(receipt) },
    async handle(call) {
      const request = await call.parts.machine.waitForRequest({
        owner: call.owner,
        chatId: chatIdOf(call),
        requestId: call.params['rid'] ?? '',
        waitMs: call.query.wait * 1_000,
        signal: call.signal,
      });
      return { status: 200, body: request.receipt };
    },
  }),
];

function submitToolResults(call: Call<ToolResultsBody, unknown>): Promise<JsonAnswer | Response> {
  return answerOnce<Chat>(call, async () => {
    const results = call.body.value.results.map(({ tool_call_id, output, is_error }) => ({
      toolCallId: tool_call_id,
      output,
      ...(is_error !== undefined && { isError: is_error }),
    }));
    const submission = { owner: call.owner, chatId: chatIdOf(call), results };
    return {
      change: (idempotency) => call.parts.machine.submitToolResults({ ...submission, ...idempotency }),
      answer: (changed) => ({ status: 200, body: toChatView(changed) }),
    };
  });
}
