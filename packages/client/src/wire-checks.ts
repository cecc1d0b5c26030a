/** Checks of the server's responses and events. Pure. */
import type { ServerProblem } from '@truecast/core/internal/errors/server-error';
import {
  anything,
  array,
  boolean,
  integer,
  json,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  tagged,
  type Cases,
  type Check,
} from './check.ts';
import type {
  ChatErrorView,
  ChatLabels,
  ChatPageView,
  ChatStatus,
  ChatView,
  CreatedChatView,
  ModelView,
} from './wire/chat.ts';
import type { MessagePart } from './wire/message-parts.ts';
import type {
  EditedView,
  MessagePageView,
  MessageView,
  QueuedView,
  QueueView,
  SentView,
} from './wire/message.ts';
import type { Mechanism, Receipt, ReceiptAttempt, ReceiptUsage, RequestError } from './wire/receipt.ts';
import {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REPAIR_CODES,
  REQUEST_CODES,
  REQUEST_STATUSES,
} from './wire/wire-codes.ts';
import type { DialectName, DryRunView, Problem } from './wire/response-format.ts';
import type { ChatStreamEvent } from './wire/stream-event.ts';

const text = optional(string);
const flag = optional(boolean);
const count = optional(integer);

const mechanism: Check<Mechanism> = oneOf('required', 'native', 'auto');
const usage = optional<ReceiptUsage>(
  object({
    input_tokens: integer,
    output_tokens: integer,
    cache_creation_input_tokens: integer,
    cache_read_input_tokens: integer,
    cost_usd: optional(number),
  }),
);
const attempt: Check<ReceiptAttempt> = object({
  code: oneOf(...ATTEMPT_CODES),
  mechanism: optional(mechanism),
  issues: optional(array(object({ path: string, rule: string }))),
  repairs: optional(array(oneOf(...Object.values(REPAIR_CODES)))),
  numbers_exact: flag,
  unenforced: optional(array(object({ path: string, keyword: string }))),
  at: text,
  usage,
  duration_ms: optional(number),
  waited_ms: optional(number),
  waited_for: optional(oneOf('rate_limit', 'outage', 'concurrency')),
  message_id: count,
});

const dialect: Check<DialectName> = oneOf('openai', 'anthropic', 'gemini', 'claude_code', 'codex', 'grammar');

/** Check of a request's error. */
export const requestErrorCheck: Check<RequestError> = object({
  code: oneOf(...REQUEST_CODES),
  reason: optional(oneOf(...NOT_PRODUCED_REASONS)),
  message: string,
});

export const receiptCheck: Check<Receipt> = object({
  request_id: string,
  name: text,
  status: oneOf(...REQUEST_STATUSES),
  value: optional(json),
  value_text: text,
  value_hash: text,
  numbers_exact: flag,
  error: optional(requestErrorCheck),
  schema_hash: string,
  mechanism: optional(mechanism),
  attempts: array(attempt),
  model: text,
  dialect: optional(dialect),
  usage,
  duration_ms: optional(number),
  message_id: count,
  created_at: text,
  started_at: text,
  ended_at: text,
});

const provider_metadata = optional(record);
const part: Check<MessagePart> = tagged<MessagePart>({
  text: { text: string, provider_metadata },
  reasoning: { text: string, provider_metadata },
  tool_call: {
    tool_call_id: string,
    tool_name: string,
    args: string,
    provider_executed: flag,
    numbers_exact: flag,
    provider_metadata,
  },
  tool_result: {
    tool_call_id: string,
    tool_name: string,
    result: json,
    is_error: boolean,
    result_text: text,
    synthetic: optional(oneOf('interrupted', 'canceled', 'deadline', 'unknown', 'not_run', 'rejected')),
    attempt: optional(attempt),
    usage,
    started_at: text,
    ended_at: text,
    provider_executed: flag,
    provider_metadata,
  },
  source: { source_id: string, url: text, title: text },
  file: { media_type: string, filename: text, url: text, data: text },
  response_format: {
    request_id: string,
    name: string,
    description: text,
    schema_text: string,
    limits: object({ text_only: integer, max_repairs: integer, deadline_seconds: count }),
  },
  corrective: { request_id: string, text: string, attempt },
  summary: { text: string },
  outcome: {
    request_id: string,
    status: oneOf('succeeded', 'failed', 'canceled'),
    error: optional(object({ code: string, reason: text, message: string })),
  },
});

const queued = {
  id: integer,
  client_id: text,
  chat_id: string,
  content: array(part),
  request_id: text,
  plan_mode: flag,
  created_at: string,
};
const queuedMessage: Check<QueuedView> = object(queued);
const message: Check<MessageView> = object({
  ...queued,
  role: oneOf('system', 'user', 'assistant', 'tool'),
  is_compressed: boolean,
  model: text,
  finish_reason: optional(
    oneOf('stop', 'tool_calls', 'length', 'content_filter', 'runaway', 'error', 'interrupted', 'other'),
  ),
  usage,
  started_at: text,
  first_token_at: text,
});

export const sentCheck: Check<SentView> = object({
  message: optional(message),
  queued_message: optional(queuedMessage),
  request_id: text,
});
export const editedCheck: Check<EditedView> = object({
  message,
  deleted_message_ids: array(integer),
  request_id: text,
});
export const messagePageCheck: Check<MessagePageView> = object({
  messages: array(message),
  has_more: boolean,
});
export const queueCheck: Check<QueueView> = object({ queued_messages: array(queuedMessage) });

const status: Check<ChatStatus> = oneOf('waiting', 'running', 'interrupting', 'requires_action', 'error');
const chatError: Check<ChatErrorView> = object({
  kind: string,
  message: string,
  is_retryable: boolean,
  status_code: count,
});
// A newer server can have other values.
const labels: Check<ChatLabels> = (value) => record(value);
export const chatCheck: Check<ChatView> = object({
  id: string,
  client_id: text,
  title: string,
  status,
  model: string,
  plan_mode: boolean,
  system_prompt: text,
  tools: array(object({ name: string, description: text, input_schema: record })),
  settings: record,
  labels: optional(labels),
  parent_chat_id: text,
  queue_length: integer,
  request_id: text,
  error: optional(chatError),
  action_deadline: text,
  version: integer,
  turn_version: integer,
  created_at: string,
  updated_at: string,
});
export const createdChatCheck: Check<CreatedChatView> = object({
  chat: chatCheck,
  message,
  request_id: text,
});
export const chatPageCheck: Check<ChatPageView> = object({ chats: array(chatCheck), next: text });
export const modelListCheck: Check<{ readonly models: readonly ModelView[] }> = object({
  models: array(
    object({
      id: string,
      is_default: boolean,
      provider: string,
      is_scripted: boolean,
      mechanism: optional(mechanism),
      dialect,
      context_tokens: count,
    }),
  ),
});

const problems: Check<readonly Problem[]> = array(object({ field: string, detail: string, pointer: text }));
/** Only the fields that this client uses. */
export const problemCheck: Check<ServerProblem> = object({
  code: string,
  detail: string,
  field: text,
  problems: optional(problems),
  http_request_id: text,
});
export const dryRunCheck: Check<DryRunView> = object({
  is_valid: boolean,
  problems,
  dialects: array(
    object({
      dialect,
      is_taken: boolean,
      losses: array(object({ pointer: string, keyword: string, reason: string })),
      changes: array(object({ pointer: string, keyword: string, form: string })),
    }),
  ),
});

const events: Cases<ChatStreamEvent> = {
  message: { message },
  history_reset: { deleted_message_ids: array(integer) },
  receipt: { receipt: receiptCheck },
  queue_update: { version: integer, queued_messages: array(queuedMessage) },
  status: { status, version: integer, request_id: text, error: optional(chatError) },
  action_required: {
    tool_calls: array(object({ tool_call_id: string, tool_name: string, args: string })),
    deadline: text,
  },
  retry: { attempt: integer, delay_ms: integer, retry_at: string, error: chatError },
  part: {
    kind: oneOf('text', 'reasoning', 'tool_call'),
    delta: string,
    tool_call_id: text,
    tool_name: text,
    request_id: text,
    offset: count,
  },
  partial: { request_id: string, value: anything, is_validated: oneOf(false) },
  preview_reset: {},
};
export const eventCheck: Check<ChatStreamEvent> = tagged(events);

/** Returns true if the name of an event is known. Those of a newer server are skipped. */
export function isKnownEvent(name: string | undefined): boolean {
  return name !== undefined && Object.hasOwn(events, name);
}
