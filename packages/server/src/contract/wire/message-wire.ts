/** Zod schemas of messages, sent and received. Pure. */
import { z } from 'zod';
import type {
  EditedView,
  EditMessageBody,
  MessagePageView,
  MessageView,
  QueueView,
  QueuedView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from '@truecast/client/internal/wire/message';
import { messagePartSchema } from '../parts.ts';
import { receiptUsageSchema } from '../receipt.ts';
import { clientIdSchema, messageBodyShape } from './message-body-shape.ts';
import { timeSchema } from '../time-schema.ts';
import type { WireSchema } from '../wire-schema.ts';

export type {
  EditedView,
  EditMessageBody,
  MessageBody,
  MessagePageView,
  MessageView,
  QueueView,
  QueuedView,
  SendMessageBody,
  SentView,
  ToolResultsBody,
} from '@truecast/client/internal/wire/message';

const flag = z.boolean().exactOptional();
const requestId = z.string().exactOptional();
const client_id = clientIdSchema.exactOptional();

/** Schema of an edit. */
export const editMessageBodySchema: WireSchema<EditMessageBody> = z
  .strictObject({ ...messageBodyShape, client_id })
  .meta({ ref: 'EditMessage' });

/** Schema of a new message. */
export const sendMessageBodySchema: WireSchema<SendMessageBody> = z
  .strictObject({
    ...messageBodyShape,
    client_id,
    busy_behavior: z.enum(['queue', 'interrupt']).exactOptional(),
  })
  .meta({ ref: 'SendMessage' });

/** Schema of tool results. */
export const toolResultsBodySchema: WireSchema<ToolResultsBody> = z
  .strictObject({
    results: z.array(z.strictObject({ tool_call_id: z.string(), output: z.unknown(), is_error: flag })),
  })
  .meta({ ref: 'ToolResults' });

const shared = {
  id: z.int(),
  client_id: z.string().exactOptional(),
  chat_id: z.string(),
  content: z.array(messagePartSchema.meta({ ref: 'MessagePart' })),
  request_id: requestId,
  plan_mode: flag,
  created_at: timeSchema,
};

/** Schema of a message. */
export const messageViewSchema: WireSchema<MessageView> = z
  .strictObject({
    ...shared,
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    is_compressed: z.boolean(),
    model: z.string().exactOptional(),
    finish_reason: z
      .enum(['stop', 'tool_calls', 'length', 'content_filter', 'runaway', 'error', 'interrupted', 'other'])
      .exactOptional(),
    usage: receiptUsageSchema.exactOptional(),
    started_at: timeSchema.exactOptional(),
    first_token_at: timeSchema.exactOptional(),
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
