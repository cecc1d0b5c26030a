/** Check of the events of a chat's stream. Pure. */
import {
  anything,
  array,
  integer,
  literal,
  object,
  oneOf,
  optional,
  string,
  tagged,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import { chatError, message, queuedMessage, receiptCheck, status } from './wire-checks.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

const text = optional(string);
const count = optional(integer);
const events = {
  message: object({ type: literal('message'), message }),
  history_reset: object({ type: literal('history_reset'), deleted_message_ids: array(integer) }),
  receipt: object({ type: literal('receipt'), receipt: receiptCheck }),
  queue_update: object({
    type: literal('queue_update'),
    version: integer,
    queued_messages: array(queuedMessage),
  }),
  status: object({
    type: literal('status'),
    status,
    version: integer,
    request_id: text,
    error: optional(chatError),
  }),
  action_required: object({
    type: literal('action_required'),
    tool_calls: array(object({ tool_call_id: string, tool_name: string, args: string })),
    deadline: text,
  }),
  retry: object({
    type: literal('retry'),
    attempt: integer,
    delay_ms: integer,
    retry_at: string,
    error: chatError,
  }),
  part: object({
    type: literal('part'),
    kind: oneOf('text', 'reasoning', 'tool_call'),
    delta: string,
    tool_call_id: text,
    tool_name: text,
    request_id: text,
    offset: count,
  }),
  partial: object({
    type: literal('partial'),
    request_id: string,
    value: anything,
    is_validated: literal(false),
  }),
  preview_reset: object({ type: literal('preview_reset') }),
};
export const eventCheck: Shape<ChatStreamEvent> = tagged(events);

/** Returns true if the name of an event is known. Those of a newer server are skipped. */
export function isKnownEvent(name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(events, name);
}
