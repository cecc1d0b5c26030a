/**
 * Owns the events of a chat's stream. Pure.
 *
 * Those with an SSE id are durable: each is told once to whoever resumes with `Last-Event-ID`. The others (`part`, `partial`,
 * `preview_reset`) are hints of what is being written; the messages are the truth.
 *
 * history_reset → messages and receipts in the order of their commits → queue_update → status → action_required → retry
 */
import { z } from 'zod';
import { receiptSchema, type Receipt } from '../receipt.ts';
import type { ChatStatus } from '../rows.ts';
import { chatErrorViewSchema, chatStatusSchema, type ChatErrorView } from './chat-wire.ts';
import { messageViewSchema, queuedViewSchema, type MessageView, type QueuedView } from './message-wire.ts';
import type { WireSchema } from '../wire-schema.ts';

/** A message was committed; one with a known id takes the other's place. */
export interface MessageEvent {
  readonly type: 'message';
  readonly message: MessageView;
}

/** These messages are gone: an edit cut them off. */
export interface HistoryResetEvent {
  readonly type: 'history_reset';
  readonly deleted_message_ids: readonly number[];
}

/** A request stands otherwise; once its status is final, this is its receipt. */
export interface ReceiptEvent {
  readonly type: 'receipt';
  readonly receipt: Receipt;
}

/** The whole queue, in the order in which it will run. */
export interface QueueUpdateEvent {
  readonly type: 'queue_update';
  /** The chat's version that changed the queue last. */
  readonly version: number;
  readonly queued_messages: readonly QueuedView[];
}

/** What the chat is doing. */
export interface StatusEvent {
  readonly type: 'status';
  readonly status: ChatStatus;
  readonly version: number;
  readonly request_id?: string;
  readonly error?: ChatErrorView;
}

/** The chat waits for the results of these calls, all in one submission. */
export interface ActionRequiredEvent {
  readonly type: 'action_required';
  readonly tool_calls: readonly {
    readonly tool_call_id: string;
    readonly tool_name: string;
    /** JSON, as the model wrote it. */
    readonly args: string;
  }[];
  readonly deadline?: string;
}

/** A call of the model failed and is made again. */
export interface RetryEvent {
  readonly type: 'retry';
  readonly attempt: number;
  readonly delay_ms: number;
  readonly retry_at: string;
  readonly error: ChatErrorView;
}

/** A hint: some more of what is being written. A call of a tool begins with its name. */
export interface PartEvent {
  readonly type: 'part';
  readonly kind: 'text' | 'reasoning' | 'tool-call';
  readonly delta: string;
  readonly tool_call_id?: string;
  readonly tool_name?: string;
}

/** A hint: the answer so far. It was not validated, and may never come to be. */
export interface PartialEvent {
  readonly type: 'partial';
  readonly request_id: string;
  readonly value: unknown;
  readonly is_validated: false;
}

/** A hint: forget the parts and the partial value of the step under way. */
export interface PreviewResetEvent {
  readonly type: 'preview_reset';
}

/** An event that hints at what no row holds yet. */
export type LiveEvent = PartEvent | PartialEvent | PreviewResetEvent;

/** An event that tells of committed rows. */
export type DurableEvent =
  | MessageEvent
  | HistoryResetEvent
  | ReceiptEvent
  | QueueUpdateEvent
  | StatusEvent
  | ActionRequiredEvent
  | RetryEvent;

/** An event of a chat's stream. The SSE event has the name of its `type`. */
export type ChatStreamEvent = DurableEvent | LiveEvent;

const time = z.string().meta({ format: 'date-time' });

const EVENTS = [
  z.strictObject({ type: z.literal('message'), message: messageViewSchema }),
  z.strictObject({ type: z.literal('history_reset'), deleted_message_ids: z.array(z.int()) }),
  z.strictObject({ type: z.literal('receipt'), receipt: receiptSchema.meta({ ref: 'Receipt' }) }),
  z.strictObject({
    type: z.literal('queue_update'),
    version: z.int(),
    queued_messages: z.array(queuedViewSchema),
  }),
  z.strictObject({
    type: z.literal('status'),
    status: chatStatusSchema,
    version: z.int(),
    request_id: z.string().exactOptional(),
    error: chatErrorViewSchema.exactOptional(),
  }),
  z.strictObject({
    type: z.literal('action_required'),
    tool_calls: z.array(
      z.strictObject({ tool_call_id: z.string(), tool_name: z.string(), args: z.string() }),
    ),
    deadline: time.exactOptional(),
  }),
  z.strictObject({
    type: z.literal('retry'),
    attempt: z.int(),
    delay_ms: z.int(),
    retry_at: time,
    error: chatErrorViewSchema,
  }),
  z.strictObject({
    type: z.literal('part'),
    kind: z.enum(['text', 'reasoning', 'tool-call']),
    delta: z.string(),
    tool_call_id: z.string().exactOptional(),
    tool_name: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('partial'),
    request_id: z.string(),
    value: z.unknown(),
    is_validated: z.literal(false),
  }),
  z.strictObject({ type: z.literal('preview_reset') }),
] as const;

/** Reads an event. */
export const chatStreamEventSchema: WireSchema<ChatStreamEvent> = z
  .discriminatedUnion('type', EVENTS)
  .meta({ ref: 'ChatStreamEvent' });
