/** Wire format of messages, sent and received. */
import type { InputPart, MessagePart } from './message-parts.ts';
import type { ReceiptUsage } from './receipt.ts';
import type { RequestLimitsBody, ResponseFormatBody } from './response-format.ts';

/** Author of a message, in model terms. */
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';

/**
 * Finish reason. `interrupted`: the call was stopped, and its text so far was kept. `runaway`: it repeated
 * itself without end, and was ended.
 */
export type FinishReason =
  | 'stop'
  | 'tool_calls'
  | 'length'
  | 'content_filter'
  | 'runaway'
  | 'error'
  | 'interrupted'
  | 'other';

/** Contents of a user message. */
export interface MessageBody {
  /** Text, or parts. */
  readonly content: string | readonly InputPart[];
  /**
   * With `json_schema` the turn succeeds only with a value that this schema accepts. @default an
   * ordinary turn
   */
  readonly response_format?: ResponseFormatBody;
  readonly limits?: RequestLimitsBody;
  /** True if the turn ends with a plan. Excludes `json_schema`. @default the chat's setting */
  readonly plan_mode?: boolean;
}

/** A message that replaces another one. */
export interface EditMessageBody extends MessageBody {
  /**
   * Id of the message for its client, unique within the chat: 1 to 128 visible ASCII characters.
   * `~CLIENT_ID` addresses the message in each path.
   */
  readonly client_id?: string;
}

/** A message for a chat that can be busy. */
export interface SendMessageBody extends EditMessageBody {
  /** `interrupt` ends the running turn and keeps its streamed text. @default 'queue' */
  readonly busy_behavior?: 'queue' | 'interrupt';
}

/** A message of a chat. Its id counts from 1 within the chat. */
export interface MessageView {
  readonly id: number;
  /** Chosen by its client. */
  readonly client_id?: string;
  readonly chat_id: string;
  readonly role: MessageRole;
  readonly content: readonly MessagePart[];
  /** The request that the message started. */
  readonly request_id?: string;
  readonly plan_mode?: boolean;
  /** Created by a compaction. */
  readonly is_compressed: boolean;
  /** The server's name of the model that wrote it. */
  readonly model?: string;
  readonly finish_reason?: FinishReason;
  readonly usage?: ReceiptUsage;
  /** When the model was called, in ISO 8601. Messages of a model only. */
  readonly started_at?: string;
  /** When the first part of the model's reply arrived. */
  readonly first_token_at?: string;
  readonly created_at: string;
}

/** A queued message. Its id counts from 1 within the chat. */
export interface QueuedView {
  readonly id: number;
  /** Chosen by its client. */
  readonly client_id?: string;
  readonly chat_id: string;
  readonly content: readonly MessagePart[];
  readonly request_id?: string;
  readonly plan_mode?: boolean;
  readonly created_at: string;
}

/** Position of a sent message: exactly one of `message` and `queued_message`. */
export interface SentView {
  readonly message?: MessageView;
  readonly queued_message?: QueuedView;
  /** Id for reading the receipt. Present if a `response_format` was sent. */
  readonly request_id?: string;
}

/** Result of an edit. */
export interface EditedView {
  readonly message: MessageView;
  readonly deleted_message_ids: readonly number[];
  readonly request_id?: string;
}

/** A page of messages, oldest first. */
export interface MessagePageView {
  readonly messages: readonly MessageView[];
  /** True if there are more in the direction of the query. */
  readonly has_more: boolean;
}

/** The queue in execution order. */
export interface QueueView {
  readonly queued_messages: readonly QueuedView[];
}

/** Results of all calls that a chat waits for. */
export interface ToolResultsBody {
  readonly results: readonly {
    readonly tool_call_id: string;
    /** Any JSON. */
    readonly output: unknown;
    readonly is_error?: boolean;
  }[];
}
