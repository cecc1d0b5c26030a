/** Checks of the server's responses and events. Pure. */
import type { ServerProblem } from '@truecast/core/internal/errors/server-error';
import {
  array,
  boolean,
  integer,
  json,
  literal,
  number,
  object,
  oneOf,
  optional,
  record,
  recordOf,
  string,
  tagged,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import type {
  ChatErrorView,
  ChatPageView,
  ChatStatus,
  ChatView,
  CreatedChatView,
  ListedChatPageView,
  ListedChatView,
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
import type { ReceiptMode, Receipt, ReceiptAttempt, ReceiptUsage, RequestError } from './wire/receipt.ts';
import {
  ATTEMPT_CODES,
  NOT_PRODUCED_REASONS,
  REPAIR_CODES,
  REQUEST_CODES,
  REQUEST_STATUSES,
} from './wire/wire-codes.ts';
import type { DialectName, DryRunView, Problem } from './wire/response-format.ts';

const text = optional(string);
const flag = optional(boolean);
const count = optional(integer);

const mode: Shape<ReceiptMode> = oneOf('tool', 'native', 'tool_auto');
const usage = optional<ReceiptUsage>(
  object({
    input_tokens: integer,
    output_tokens: integer,
    cache_creation_input_tokens: integer,
    cache_read_input_tokens: integer,
    cost_usd: optional(number),
  }),
);
const attempt: Shape<ReceiptAttempt> = object({
  code: oneOf(...ATTEMPT_CODES),
  mode: optional(mode),
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

const dialect: Shape<DialectName> = oneOf('openai', 'anthropic', 'gemini', 'claude_code', 'codex', 'grammar');

const requestErrorCheck: Shape<RequestError> = object({
  code: oneOf(...REQUEST_CODES),
  reason: optional(oneOf(...NOT_PRODUCED_REASONS)),
  message: string,
});

export const receiptCheck: Shape<Receipt> = object({
  request_id: string,
  name: text,
  status: oneOf(...REQUEST_STATUSES),
  value: optional(json),
  value_text: text,
  value_hash: text,
  numbers_exact: flag,
  error: optional(requestErrorCheck),
  schema_hash: string,
  mode: optional(mode),
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
const part: Shape<MessagePart> = tagged({
  text: object({ type: literal('text'), text: string, provider_metadata }),
  reasoning: object({ type: literal('reasoning'), text: string, provider_metadata }),
  tool_call: object({
    type: literal('tool_call'),
    tool_call_id: string,
    tool_name: string,
    args: string,
    provider_executed: flag,
    numbers_exact: flag,
    provider_metadata,
  }),
  tool_result: object({
    type: literal('tool_result'),
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
  }),
  source: object({ type: literal('source'), source_id: string, url: text, title: text }),
  file: object({ type: literal('file'), media_type: string, filename: text, url: text, data: text }),
  response_format: object({
    type: literal('response_format'),
    request_id: string,
    name: string,
    description: text,
    schema_text: string,
    limits: object({ text_only: integer, max_repairs: integer, deadline_seconds: count }),
  }),
  corrective: object({ type: literal('corrective'), request_id: string, text: string, attempt }),
  summary: object({ type: literal('summary'), text: string }),
  outcome: object({
    type: literal('outcome'),
    request_id: string,
    status: oneOf('succeeded', 'failed', 'canceled'),
    error: optional(object({ code: string, reason: text, message: string })),
  }),
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
export const queuedMessage: Shape<QueuedView> = object(queued);
export const message: Shape<MessageView> = object({
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

export const sentCheck: Shape<SentView> = object({
  message: optional(message),
  queued_message: optional(queuedMessage),
  request_id: text,
});
export const editedCheck: Shape<EditedView> = object({
  message,
  deleted_message_ids: array(integer),
  request_id: text,
});
export const messagePageCheck: Shape<MessagePageView> = object({
  messages: array(message),
  has_more: boolean,
});
export const queueCheck: Shape<QueueView> = object({ queued_messages: array(queuedMessage) });

export const status: Shape<ChatStatus> = oneOf(
  'waiting',
  'running',
  'interrupting',
  'requires_action',
  'error',
);
export const chatError: Shape<ChatErrorView> = object({
  kind: string,
  message: string,
  is_retryable: boolean,
  status_code: count,
});
const chatMembers = {
  id: string,
  client_id: text,
  title: string,
  status,
  model: string,
  plan_mode: boolean,
  system_prompt: text,
  tools: array(object({ name: string, description: text, input_schema: record })),
  settings: record,
  labels: optional(recordOf(string)),
  parent_chat_id: text,
  queue_length: integer,
  request_id: text,
  error: optional(chatError),
  action_deadline: text,
  version: integer,
  turn_version: integer,
  created_at: string,
  updated_at: string,
};
export const chatCheck: Shape<ChatView> = object(chatMembers);
export const createdChatCheck: Shape<CreatedChatView> = object({
  chat: chatCheck,
  message,
  request_id: text,
});
export const chatPageCheck: Shape<ChatPageView> = object({ chats: array(chatCheck), next: text });
const listedChat: Shape<ListedChatView> = object({
  ...chatMembers,
  value_preview: optional(string),
  last_failure: optional(requestErrorCheck),
});
/** A page with the beginnings of values. Only the console requests it. */
export const chatListCheck: Shape<ListedChatPageView> = object({ chats: array(listedChat), next: text });
export const modelListCheck: Shape<{ readonly models: readonly ModelView[] }> = object({
  models: array(
    object({
      id: string,
      is_default: boolean,
      provider: string,
      is_scripted: boolean,
      mode: optional(mode),
      dialect,
      context_tokens: count,
    }),
  ),
});

const problems: Shape<readonly Problem[]> = array(object({ field: string, detail: string, pointer: text }));
/** Only the fields that this client uses. */
export const problemCheck: Shape<ServerProblem> = object({
  code: string,
  detail: string,
  field: text,
  problems: optional(problems),
  http_request_id: text,
});
export const dryRunCheck: Shape<DryRunView> = object({
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
