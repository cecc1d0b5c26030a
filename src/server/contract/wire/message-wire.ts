/** Wire format of messages, sent and received. Pure. */
import { z } from 'zod';
import { messagePartSchema, type InputPart, type MessagePart } from '../parts.ts';
import { receiptUsageSchema, type ReceiptUsage } from '../receipt.ts';
import type { FinishReason, MessageRole } from '../rows.ts';
import type { RequestLimitsBody, ResponseFormatBody } from './format-wire.ts';
import { messageBodyShape } from './message-body-shape.ts';
import type { WireSchema } from '../wire-schema.ts';

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

/** A message for a chat that can be busy. */
export interface SendMessageBody extends MessageBody {
  /** `interrupt` ends the running turn and keeps its streamed text. @default 'queue' */
  readonly busy_behavior?: 'queue' | 'interrupt';
}

/** A message of a chat. Its id counts from 1 within the chat. */
export interface MessageView {
  readonly id: number;
  readonly chat_id: string;
  readonly role: MessageRole;
  readonly content: readonly MessagePart[];
  /** The request that the message started. */
  readonly request_id?: string;
  readonly plan_mode?: boolean;
  /** Created by a compaction. */
  readonly is_compressed: boolean;
  readonly model?: string;
  readonly finish_reason?: FinishReason;
  readonly usage?: ReceiptUsage;
  readonly created_at: string;
}

/** A queued message. Its id counts from 1 within the chat. */
export interface QueuedView {
  readonly id: number;
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

const flag = z.boolean().exactOptional();
const requestId = z.string().exactOptional();

/** Schema of an edit. */
export const editMessageBodySchema: WireSchema<MessageBody> = z
  .strictObject(messageBodyShape)
  .meta({ ref: 'EditMessage' });

/** Schema of a new message. */
export const sendMessageBodySchema: WireSchema<SendMessageBody> = z
  .strictObject({ ...messageBodyShape, busy_behavior: z.enum(['queue', 'interrupt']).exactOptional() })
  .meta({ ref: 'SendMessage' });

/** Schema of tool results. */
export const toolResultsBodySchema: WireSchema<ToolResultsBody> = z
  .strictObject({
    results: z.array(z.strictObject({ tool_call_id: z.string(), output: z.unknown(), is_error: flag })),
  })
  .meta({ ref: 'ToolResults' });

const shared = {
  id: z.int(),
  chat_id: z.string(),
  content: z.array(messagePartSchema.meta({ ref: 'MessagePart' })),
  request_id: requestId,
  plan_mode: flag,
  created_at: z.string().meta({ format: 'date-time' }),
};

/** Schema of a message. */
export const messageViewSchema: WireSchema<MessageView> = z
  .strictObject({
    ...shared,
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    is_compressed: z.boolean(),
    model: z.string().exactOptional(),
    finish_reason: z
      .enum(['stop', 'tool-calls', 'length', 'content-filter', 'error', 'interrupted', 'other'])
      .exactOptional(),
    usage: receiptUsageSchema.exactOptional(),
  })
  .meta({ ref: 'Message' });

/** Schema of a queued message. */
export const queuedViewSchema: WireSchema<QueuedView> = z.strictObject(shared).meta({ ref: 'QueuedMessage' });

/** Schema of a sent message's position. */
export const sentViewSchema: WireSchema<SentView> = z
  .strictObject({
    message: messageViewSchema.exactOptional(),
    queued_message: queuedViewSchema.exactOptional(),
    request_id: requestId,
  })
  .meta({ ref: 'SentMessage' });

/** Schema of an edit's result. */
export const editedViewSchema: WireSchema<EditedView> = z
  .strictObject({
    message: messageViewSchema,
    deleted_message_ids: z.array(z.int()),
    request_id: requestId,
  })
  .meta({ ref: 'EditedMessage' });

/** Schema of a page of messages. */
export const messagePageViewSchema: WireSchema<MessagePageView> = z
  .strictObject({ messages: z.array(messageViewSchema), has_more: z.boolean() })
  .meta({ ref: 'MessagePage' });

/** Schema of the queue. */
export const queueViewSchema: WireSchema<QueueView> = z
  .strictObject({ queued_messages: z.array(queuedViewSchema) })
  .meta({ ref: 'Queue' });
