/**
 * Events of a chat's stream.
 *
 * Events with an SSE id are durable: a client that resumes with `Last-Event-ID` gets each once. The
 * others (`part`, `partial`, `preview_reset`) are hints; the messages are the source of truth.
 *
 * history_reset → messages and receipts in commit order → queue_update → status → action_required →
 * retry
 */
import {
  anything,
  array,
  integer,
  literal,
  object,
  openOneOf,
  optional,
  string,
  tagged,
  time,
  type ObjectOf,
  type Of,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { chatErrorView, chatStatus } from './chat.ts';
import { messageView, queuedView } from './message.ts';
import { receipt } from './receipt.ts';

const messageMembers = { type: literal('message'), message: messageView };
/** A committed message. It replaces one with the same id. */
export interface MessageEvent extends ObjectOf<typeof messageMembers> {}
const messageEvent: Shape<MessageEvent> = object(messageMembers);

const resetMembers = { type: literal('history_reset'), deleted_message_ids: array(integer) };
/** Messages removed by an edit. */
export interface HistoryResetEvent extends ObjectOf<typeof resetMembers> {}
const historyResetEvent: Shape<HistoryResetEvent> = object(resetMembers);

const receiptMembers = { type: literal('receipt'), receipt };
/** Changed state of a request. With a final status it is the receipt. */
export interface ReceiptEvent extends ObjectOf<typeof receiptMembers> {}
const receiptEvent: Shape<ReceiptEvent> = object(receiptMembers);

const queueMembers = {
  type: literal('queue_update'),
  /** Chat version of the last queue change. */
  version: integer,
  queued_messages: array(queuedView),
};
/** The whole queue in execution order. */
export interface QueueUpdateEvent extends ObjectOf<typeof queueMembers> {}
const queueUpdateEvent: Shape<QueueUpdateEvent> = object(queueMembers);

const statusMembers = {
  type: literal('status'),
  status: chatStatus,
  version: integer,
  request_id: optional(string),
  error: optional(chatErrorView),
};
/** Status of the chat. */
export interface StatusEvent extends ObjectOf<typeof statusMembers> {}
const statusEvent: Shape<StatusEvent> = object(statusMembers);

const actionMembers = {
  type: literal('action_required'),
  tool_calls: array(
    object({
      tool_call_id: string,
      tool_name: string,
      /** JSON as the model wrote it. */
      args: string,
    }),
  ),
  deadline: optional(time),
};
/** The chat waits for the results of these calls, in one submission. */
export interface ActionRequiredEvent extends ObjectOf<typeof actionMembers> {}
const actionRequiredEvent: Shape<ActionRequiredEvent> = object(actionMembers);

const retryMembers = {
  type: literal('retry'),
  attempt: integer,
  delay_ms: integer,
  retry_at: time,
  error: chatErrorView,
};
/** A model call failed and is being retried. */
export interface RetryEvent extends ObjectOf<typeof retryMembers> {}
const retryEvent: Shape<RetryEvent> = object(retryMembers);

const partMembers = {
  type: literal('part'),
  kind: openOneOf('text', 'reasoning', 'tool_call'),
  delta: string,
  tool_call_id: optional(string),
  tool_name: optional(string),
  /** The request that the text answers: JSON of the value, or of `{ output: value }` in a tool call. */
  request_id: optional(string),
  /** Position of `delta` in the text of the answer, in UTF-16 units. */
  offset: optional(integer),
};
/** Hint: more text of the growing message. A tool call begins with its name. */
export interface PartEvent extends ObjectOf<typeof partMembers> {}
const partEvent: Shape<PartEvent> = object(partMembers);

const partialMembers = {
  type: literal('partial'),
  request_id: string,
  value: anything,
  is_validated: literal(false),
};
/**
 * Hint: the answer so far. It is not validated, and may never be accepted. Not sent for
 * `?partials=text`.
 */
export interface PartialEvent extends ObjectOf<typeof partialMembers> {}
const partialEvent: Shape<PartialEvent> = object(partialMembers);

const previewMembers = { type: literal('preview_reset') };
/** Hint: discard the parts and the partial value of the current step. */
export interface PreviewResetEvent extends ObjectOf<typeof previewMembers> {}
const previewResetEvent: Shape<PreviewResetEvent> = object(previewMembers);

/** An event about uncommitted data. */
export type LiveEvent = PartEvent | PartialEvent | PreviewResetEvent;

/** An event about committed rows. */
export type DurableEvent = Exclude<ChatStreamEvent, LiveEvent>;

export const chatStreamEvent = tagged(
  {
    message: messageEvent,
    history_reset: historyResetEvent,
    receipt: receiptEvent,
    queue_update: queueUpdateEvent,
    status: statusEvent,
    action_required: actionRequiredEvent,
    retry: retryEvent,
    part: partEvent,
    partial: partialEvent,
    preview_reset: previewResetEvent,
  },
  'ChatStreamEvent',
);
/** An event of a chat's stream. The SSE event name is its `type`. */
export type ChatStreamEvent = Of<typeof chatStreamEvent>;
