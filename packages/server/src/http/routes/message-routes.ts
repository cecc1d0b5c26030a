/** Message and queue routes. */
import { z } from 'zod';
import { editMessageBodySchema, sendMessageBodySchema } from '../../contract/message-bodies.ts';
import { toZod } from '../../contract/to-zod.ts';
import { chatView } from '@truecast/client/internal/wire/chat';
import {
  editedView,
  messagePageView,
  queueView,
  sentView,
  type SendMessageBody,
  type SentView,
} from '@truecast/client/internal/wire/message';
import type { NewMessage } from '../../state/rows/append-messages.ts';
import type { SentMessage } from '../../state/send-message.ts';
import { answerOnce } from '../idempotent.ts';
import { requestIdOf, toNewMessage } from '../new-message.ts';
import { integerParameter, pageLimit } from '../read-query.ts';
import { chatIdOf, countingId, defineRoute, type Call, type JsonAnswer, type HttpRoute } from '../route.ts';
import { toAcceptedMessage, toAcceptedQueued, toChatView, toMessageView, toQueuedView } from '../views.ts';

const messageId = integerParameter(1).exactOptional();
const listQuery = z
  .strictObject({
    limit: pageLimit,
    before: messageId,
    // 0: from the first message.
    after: integerParameter(0).exactOptional(),
  })
  .refine(({ before, after }) => before === undefined || after === undefined || after < before, {
    path: ['after'],
    message: 'Must be less than `before`',
  });

/** The routes, in documentation order. */
export const MESSAGE_ROUTES: readonly HttpRoute[] = [
  defineRoute({
    method: 'post',
    path: '/api/chats/:id/messages',
    operationId: 'sendMessage',
    summary: 'Send a message: it runs at once, or waits in the queue of a busy chat',
    body: sendMessageBodySchema,
    takesIdempotencyKey: true,
    answer: { status: 200, description: 'The status of the message', schema: toZod(sentView) },
    handle: sendMessage,
  }),
  defineRoute<Record<string, never>, z.infer<typeof listQuery>>({
    method: 'get',
    path: '/api/chats/:id/messages',
    operationId: 'listMessages',
    summary: 'List messages, the oldest first: the last ones, or those before or after an id',
    query: listQuery,
    answer: { status: 200, description: 'A page of messages', schema: toZod(messagePageView) },
    async handle(call) {
      const { machine } = call.parts;
      const chat = { owner: call.owner, chatId: chatIdOf(call) };
      const { messages, hasMore } = await machine.listMessages({ ...chat, ...call.query });
      return { status: 200, body: { messages: messages.map(toMessageView), has_more: hasMore } };
    },
  }),
  defineRoute({
    method: 'patch',
    path: '/api/chats/:id/messages/:mid',
    operationId: 'editMessage',
    summary: 'Edit a user message: removes the messages after it, and runs it again',
    body: editMessageBodySchema,
    answer: { status: 200, description: 'The new message', schema: toZod(editedView) },
    async handle(call) {
      const { machine } = call.parts;
      const chat = { owner: call.owner, chatId: chatIdOf(call) };
      const id = countingId(call, 'mid', 'message-not-found');
      const { planMode } = await machine.readChat(chat);
      const message = toNewMessage(call, { planMode, clientId: call.body.value.client_id });
      const edited = await machine.editMessage({ ...chat, messageId: id, message });
      return {
        status: 200,
        body: {
          message: toAcceptedMessage({ id: edited.messageId, chat: edited.chat, message }),
          deleted_message_ids: edited.deletedIds,
          ...requestIdOf(message),
        },
      };
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/chats/:id/queue',
    operationId: 'listQueue',
    summary: 'List the queued messages in the order in which they will run',
    answer: { status: 200, description: 'The queue', schema: toZod(queueView) },
    async handle(call) {
      const queue = await call.parts.machine.listQueue({ owner: call.owner, chatId: chatIdOf(call) });
      return { status: 200, body: { queued_messages: queue.map(toQueuedView) } };
    },
  }),
  defineRoute({
    method: 'delete',
    path: '/api/chats/:id/queue/:qid',
    operationId: 'deleteQueued',
    summary: 'Remove a message from the queue; its request ends as canceled',
    answer: { status: 204, description: 'It is gone' },
    async handle(call) {
      await call.parts.machine.deleteQueued(ownedQueued(call));
      return { status: 204 };
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/chats/:id/queue/:qid/promote',
    operationId: 'promoteQueued',
    summary: 'Run a queued message next; interrupts the current turn',
    answer: { status: 200, description: 'The chat', schema: toZod(chatView) },
    async handle(call) {
      const chat = await call.parts.machine.promoteQueued(ownedQueued(call));
      return { status: 200, body: toChatView(chat) };
    },
  }),
];

function sendMessage(call: Call<SendMessageBody, unknown>): Promise<JsonAnswer | Response> {
  return answerOnce<SentMessage>(call, async () => {
    const { machine } = call.parts;
    const chat = { owner: call.owner, chatId: chatIdOf(call) };
    const { planMode } = await machine.readChat(chat);
    const message = toNewMessage(call, { planMode, clientId: call.body.value.client_id });
    const busyBehavior = call.body.value.busy_behavior ?? 'queue';
    return {
      change: (idempotency) => machine.sendMessage({ ...chat, message, busyBehavior, ...idempotency }),
      answer: (sent) => ({ status: 200, body: toSentView(sent, message) }),
    };
  });
}

function toSentView({ chat, messageId, queuedId }: SentMessage, message: NewMessage): SentView {
  const request = requestIdOf(message);
  return messageId === undefined
    ? { queued_message: toAcceptedQueued({ id: queuedId ?? 0, chat, message }), ...request }
    : { message: toAcceptedMessage({ id: messageId, chat, message }), ...request };
}

function ownedQueued(call: Call<unknown, unknown>): { owner: string; chatId: string; queuedId: number } {
  return { owner: call.owner, chatId: chatIdOf(call), queuedId: countingId(call, 'qid', 'queued-not-found') };
}
