/** Zod schemas of the events of a chat's stream. Pure. */
import { z } from 'zod';
import type { ChatStreamEvent } from '@truecast/client/internal/wire/stream-event';
import { receiptSchema } from '../receipt.ts';
import { chatErrorViewSchema, chatStatusSchema } from './chat-wire.ts';
import { messageViewSchema, queuedViewSchema } from './message-wire.ts';
import { timeSchema } from '../time-schema.ts';
import type { WireSchema } from '../wire-schema.ts';

export type {
  ChatStreamEvent,
  DurableEvent,
  LiveEvent,
  PartEvent,
} from '@truecast/client/internal/wire/stream-event';

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
    deadline: timeSchema.exactOptional(),
  }),
  z.strictObject({
    type: z.literal('retry'),
    attempt: z.int(),
    delay_ms: z.int(),
    retry_at: timeSchema,
    error: chatErrorViewSchema,
  }),
  z.strictObject({
    type: z.literal('part'),
    kind: z.enum(['text', 'reasoning', 'tool_call']),
    delta: z.string(),
    tool_call_id: z.string().exactOptional(),
    tool_name: z.string().exactOptional(),
    request_id: z.string().exactOptional(),
    offset: z.int().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('partial'),
    request_id: z.string(),
    value: z.unknown(),
    is_validated: z.literal(false),
  }),
  z.strictObject({ type: z.literal('preview_reset') }),
] as const;

/** Schema of an event. */
export const chatStreamEventSchema: WireSchema<ChatStreamEvent> = z
  .discriminatedUnion('type', EVENTS)
  .meta({ ref: 'ChatStreamEvent' });
