/**
 * Events of a chat's stream.
 *
 * Events with an SSE id are durable: a client that resumes with `Last-Event-ID` gets each once. The
 * others (`part`, `partial`, `preview_reset`) are hints; the messages are the source of truth.
 *
 * history_reset → messages and receipts in commit order → queue_update → status → action_required →
 * retry
 */
import type { ChatErrorView, ChatStatus } from './chat.ts';
import type { MessageView, QueuedView } from './message.ts';
import type { Receipt } from './receipt.ts';

/** A committed message. It replaces one with the same id. */
export interface MessageEvent {
  readonly type: 'message';
  readonly message: MessageView;
}

/** Messages removed by an edit. */
export interface HistoryResetEvent {
  readonly type: 'history_reset';
  readonly deleted_message_ids: readonly number[];
}

/** Changed state of a request. With a final status it is the receipt. */
export interface ReceiptEvent {
  readonly type: 'receipt';
  readonly receipt: Receipt;
}

/** The whole queue in execution order. */
export interface QueueUpdateEvent {
  readonly type: 'queue_update';
  /** Chat version of the last queue change. */
  readonly version: number;
  readonly queued_messages: readonly QueuedView[];
}

/** Status of the chat. */
export interface StatusEvent {
  readonly type: 'status';
  readonly status: ChatStatus;
  readonly version: number;
  readonly request_id?: string;
  readonly error?: ChatErrorView;
}

/** The chat waits for the results of these calls, in one submission. */
export interface ActionRequiredEvent {
  readonly type: 'action_required';
  readonly tool_calls: readonly {
    readonly tool_call_id: string;
    readonly tool_name: string;
    /** JSON as the model wrote it. */
    readonly args: string;
  }[];
  readonly deadline?: string;
}

/** A model call failed and is being retried. */
export interface RetryEvent {
  readonly type: 'retry';
  readonly attempt: number;
  readonly delay_ms: number;
  readonly retry_at: string;
  readonly error: ChatErrorView;
}

/** Hint: more text of the growing message. A tool call begins with its name. */
export interface PartEvent {
  readonly type: 'part';
  readonly kind: 'text' | 'reasoning' | 'tool_call';
  readonly delta: string;
  readonly tool_call_id?: string;
  readonly tool_name?: string;
  /** The request that the text answers: JSON of the value, or of `{ output: value }` in a tool call. */
  readonly request_id?: string;
  /** Position of `delta` in the text of the answer, in UTF-16 units. */
  readonly offset?: number;
}

/**
 * Hint: the answer so far. It is not validated, and may never be accepted. Not sent for
 * `?partials=text`.
 */
export interface PartialEvent {
  readonly type: 'partial';
  readonly request_id: string;
  readonly value: unknown;
  readonly is_validated: false;
}

/** Hint: discard the parts and the partial value of the current step. */
export interface PreviewResetEvent {
  readonly type: 'preview_reset';
}

/** An event about uncommitted data. */
export type LiveEvent = PartEvent | PartialEvent | PreviewResetEvent;

/** An event about committed rows. */
export type DurableEvent =
  | MessageEvent
  | HistoryResetEvent
  | ReceiptEvent
  | QueueUpdateEvent
  | StatusEvent
  | ActionRequiredEvent
  | RetryEvent;

/** An event of a chat's stream. The SSE event name is its `type`. */
export type ChatStreamEvent = DurableEvent | LiveEvent;
