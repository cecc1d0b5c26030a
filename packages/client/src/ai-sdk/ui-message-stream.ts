/**
 * Streams for `useChat`: send a message, or join the running turn.
 *
 * `createChatTransport()` uses them in a page. A route handler returns them with the AI SDK's
 * `createUIMessageStreamResponse()`.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { ServerError } from '@truecast/core/internal/errors/server-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { UIMessage } from 'ai';
import type { ClientChat } from '../client-chat.ts';
import type { ChatView } from '../wire/chat.ts';
import type { MessageView, QueuedView } from '../wire/message.ts';
import { streamTurn, type StreamTurnOptions } from './stream-turn.ts';
import { toContent, toolOutputsOf, type ToolOutputs } from './message-content.ts';
import {
  requestedAnswer,
  type AnswerOf,
  type RequestedAnswer,
  type RequestOfTurn,
} from './requested-answer.ts';
import type { FirstMessage } from './turn-chunks.ts';
import { addressOf, answerMessageId, toClientId, type TruecastChunk } from './ui-message.ts';

/** Options of every stream. */
export interface UIMessageStreamOptions<
  TDefinition extends AnyOutputDefinition = never,
> extends RequestOfTurn<TDefinition> {
  /** Ends the stream, and with `stopEndsTurn` the turn. */
  readonly signal?: AbortSignal;
  /** True if `signal` ends the turn on the server too. @default true */
  readonly stopEndsTurn?: boolean;
}

/** Options of a sent message. */
export interface SendUIMessageOptions<
  TDefinition extends AnyOutputDefinition = never,
> extends UIMessageStreamOptions<TDefinition> {
  /**
   * True to replace the message with this id and everything after it, as `regenerate()` does. A
   * message that never arrived is sent. @default false
   */
  readonly replaces?: boolean;
}

/** A stream of chunks with the type of the answer. */
export type TruecastStream<TDefinition extends AnyOutputDefinition> = ReadableStream<
  TruecastChunk<AnswerOf<TDefinition>>
>;

/**
 * Sends a message of `useChat` to a chat, and streams the answer as chunks of the AI SDK.
 *
 * A message of the user is sent, or replaces another one. A message of the assistant submits the
 * outputs of the client's tools, and its answer continues. Canceling the stream leaves the turn
 * running, for `resumeUIMessageStream()`.
 *
 * @throws UsageError if the message has nothing to send
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const stream = await uiMessageStream(client.chat(), {
 *   id: '1',
 *   role: 'user',
 *   parts: [{ type: 'text', text: 'Which file has the bug?' }],
 * });
 * for await (const chunk of stream) console.log(chunk.type);
 * ```
 */
export async function uiMessageStream<TDefinition extends AnyOutputDefinition = never>(
  chat: ClientChat,
  message: UIMessage,
  options: SendUIMessageOptions<TDefinition> = {},
): Promise<TruecastStream<TDefinition>> {
  assertChat(chat);
  assertMessage(message);
  assertKind(options, 'an object', 'options', 'Pass `{ output }`, or leave it out.');
  const outputs = toolOutputsOf(message);
  const answer = requestedAnswer(options);
  if (outputs !== undefined) return typed(await continueTurn(chat, message, outputs, options, answer));
  if (message.role !== 'user') {
    throw new UsageError(
      `Expected a message of the user, or one with outputs of tools that the chat waits for, got one of the ${message.role}. Send the user's message.`,
    );
  }
  const before = chat.id === undefined ? undefined : await chat.read();
  const sent = await sendMessage(chat, message, { before, answer, replaces: options.replaces ?? false });
  const view = before ?? (await chat.read());
  return typed(
    streamTurn({
      ...common(chat, view, options, answer),
      since: String(before?.version ?? 0),
      ...sent,
    }),
  );
}

function assertChat(chat: ClientChat): void {
  const next = 'Pass a chat of `client.chat()`.';
  assertKind(chat, 'an object', 'chat', next);
  for (const method of ['read', 'send', 'messages'] as const) {
    assertKind(chat[method], 'a function', `chat.${method}`, next);
  }
}

/** The part of a message of the AI SDK that is read. */
function assertMessage(message: UIMessage): void {
  const next = "Write `{ id: '1', role: 'user', parts: [{ type: 'text', text: '…' }] }`.";
  assertKind(message, 'an object', 'message', next);
  assertKind(message.role, 'a string', 'message.role', next);
  assertKind(message.parts, 'an array', 'message.parts', next);
  for (const part of message.parts) assertKind(part, 'an object', 'message.parts', next);
}

/**
 * Streams the running turn of a chat from its beginning. Null if no turn is running.
 *
 * @throws ServerError if the chat does not exist
 * @example
 * ```ts
 * const client = createClient({ baseURL: 'http://127.0.0.1:4747', token: 'tc_…' });
 * const stream = await resumeUIMessageStream(client.chat({ id: 'd6c3b975-6629-4881-ac66-6252f6613c83' }));
 * console.log(stream === null ? 'No turn is running.' : 'Joined.');
 * ```
 */
export async function resumeUIMessageStream<TDefinition extends AnyOutputDefinition = never>(
  chat: ClientChat,
  options: UIMessageStreamOptions<TDefinition> = {},
): Promise<TruecastStream<TDefinition> | null> {
  assertChat(chat);
  assertKind(options, 'an object', 'options', 'Pass `{ output }`, or leave it out.');
  const view = await chat.read();
  if (view.status === 'waiting' || view.status === 'error') return null;
  const row = await lastUserRow(chat);
  if (row === undefined) return null;
  const { id, request_id } = row;
  const answer = requestedAnswer(options);
  return typed(
    streamTurn({
      ...common(chat, view, options, answer),
      since: String(view.turn_version),
      ...withRequest({ type: 'row', id }, request_id),
      continues: answerMessageId(id),
    }),
  );
}

interface Sending {
  readonly before: ChatView | undefined;
  readonly answer: RequestedAnswer | undefined;
  readonly replaces: boolean;
}

type SentMessage = Pick<StreamTurnOptions, 'message' | 'requestId'>;

async function sendMessage(
  chat: ClientChat,
  message: UIMessage,
  { before, answer, replaces }: Sending,
): Promise<SentMessage> {
  const body = { content: toContent(message), client_id: toClientId(message.id), ...answer?.body };
  if (replaces && before !== undefined) {
    const edited = await chat.edit(addressOf(message.id), body).catch(unlessMissing);
    if (edited !== undefined) return withRequest({ type: 'row', id: edited.message.id }, edited.request_id);
  }
  // A turn that waits for outputs of tools would hold the queue until its deadline.
  const busy_behavior = before?.status === 'requires_action' ? 'interrupt' : 'queue';
  const { message: row, queued_message: queued, request_id } = await chat.send({ ...body, busy_behavior });
  if (row !== undefined) return withRequest({ type: 'row', id: row.id }, request_id);
  if (queued !== undefined) return withRequest(queuedMessage(queued), request_id);
  throw new ServerError('The server returned no position of the message. Update the server.', {
    code: 'invalid-response',
  });
}

function withRequest(message: FirstMessage, requestId: string | undefined): SentMessage {
  return { message, ...(requestId !== undefined && { requestId }) };
}

function queuedMessage({ id, client_id }: QueuedView): FirstMessage {
  return { type: 'queued', id, isSame: (row) => row.client_id === client_id };
}

function unlessMissing(error: unknown): undefined {
  if (!ServerError.isInstance(error) || error.problem?.code !== 'message_not_found') throw error;
}

async function continueTurn(
  chat: ClientChat,
  message: UIMessage,
  { results, cursor }: ToolOutputs,
  options: UIMessageStreamOptions<AnyOutputDefinition>,
  answer: RequestedAnswer | undefined,
): Promise<ReadableStream<TruecastChunk>> {
  const view = await chat.read();
  try {
    await chat.submitToolResults(results);
  } catch (error) {
    // Another page has submitted the outputs, or the turn has ended. The events say which.
    if (!ServerError.isInstance(error) || error.problem?.code !== 'not_allowed') throw error;
  }
  return streamTurn({
    ...common(chat, view, options, answer),
    since: cursor ?? String(view.version),
    message: { type: 'row', id: 0 },
    continues: message.id,
    refusedBefore: message.parts.filter(({ type }) => type === 'data-refused').length,
    ...(view.request_id !== undefined && { requestId: view.request_id }),
  });
}

function common(
  chat: ClientChat,
  { id: chatId, tools }: ChatView,
  { signal, stopEndsTurn = true }: UIMessageStreamOptions<AnyOutputDefinition>,
  answer: RequestedAnswer | undefined,
): Omit<StreamTurnOptions, 'since' | 'message'> {
  return { chat, chatId, clientTools: new Set(tools.map(({ name }) => name)), answer, signal, stopEndsTurn };
}

async function lastUserRow(chat: ClientChat): Promise<MessageView | undefined> {
  for (let before: number | undefined; ;) {
    const { messages, has_more } = await chat.messages({
      limit: 200,
      ...(before !== undefined && { before }),
    });
    const row = messages.findLast(({ role }) => role === 'user');
    if (row !== undefined || !has_more) return row;
    before = messages[0]?.id;
  }
}

/** The schema of `TDefinition` accepted every value in the stream. */
function typed<TDefinition extends AnyOutputDefinition>(
  stream: ReadableStream<TruecastChunk>,
): TruecastStream<TDefinition> {
  return stream as TruecastStream<TDefinition>;
}
