/** Table types of chats. JSON is text, booleans are 0 and 1, times are milliseconds since 1970. */
import type { RowOf } from './columns.ts';

export const CHATS = {
  id: 'text',
  owner: 'text',
  /** Chosen by its client, unique per owner. */
  client_id: 'text?',
  status: 'text',
  version: 'integer',
  /** Version at which the last turn began. */
  turn_version: 'integer',
  history_version: 'integer',
  queue_version: 'integer',
  attempt: 'integer',
  queue_length: 'integer',
  next_message_id: 'integer',
  next_queued_id: 'integer',
  plan_mode: 'flag',
  /** The parent chat of a subagent's chat. */
  parent_id: 'text?',
  title: 'text',
  model: 'text',
  system_prompt: 'text?',
  tools: 'text',
  settings: 'text',
  /** Null without labels. */
  labels: 'text?',
  request_id: 'text?',
  error: 'text?',
  retry: 'text?',
  /** Time before which no worker takes the chat. */
  retry_at: 'integer?',
  compaction_requested: 'flag',
  action_deadline: 'integer?',
  runner: 'text?',
  /** Attempts, duration and cost of the newest request that succeeded or failed: the list is ordered by them. */
  last_attempts: 'integer?',
  last_duration_ms: 'integer?',
  last_cost_micro_usd: 'integer?',
  /** Trace of the message that the turn works on. */
  traceparent: 'text?',
  tracestate: 'text?',
  deleted: 'flag',
  created_at: 'integer',
  updated_at: 'integer',
} as const;
/**
 * A chat: its state, its change counter, and the counter values at which its history and queue last
 * changed.
 */
export interface StoredChat extends RowOf<typeof CHATS> {}

export const CHAT_LEASES = {
  chat_id: 'text',
  runner: 'text',
  worker: 'text',
  heartbeat_at: 'integer',
} as const;
/**
 * Lease of a chat's worker. A separate table, so that heartbeats do not update chats. A Postgres
 * crash empties the table, and missing rows count as expired leases.
 */
export interface ChatLeaseRow extends RowOf<typeof CHAT_LEASES> {}

export const CHAT_MESSAGES = {
  chat_id: 'text',
  id: 'integer',
  /** Chosen by its client, unique per chat. */
  client_id: 'text?',
  parts: 'text',
  /** Version of the JSON in `parts`. */
  parts_version: 'integer',
  request_id: 'text?',
  plan_mode: 'flag?',
  created_at: 'integer',
  role: 'text',
  visibility: 'text',
  compressed: 'flag',
  deleted: 'flag',
  revision: 'integer',
  step: 'text?',
} as const;
/**
 * A message. `id` counts per chat. `revision` is the chat version that wrote or changed the
 * message.
 */
export interface ChatMessageRow extends RowOf<typeof CHAT_MESSAGES> {}

export const CHAT_QUEUE = {
  chat_id: 'text',
  id: 'integer',
  client_id: 'text?',
  parts: 'text',
  parts_version: 'integer',
  request_id: 'text?',
  plan_mode: 'flag?',
  created_at: 'integer',
  position: 'integer',
  traceparent: 'text?',
  tracestate: 'text?',
} as const;
/** A queued message. The lowest `position` is the head. */
export interface ChatQueueRow extends RowOf<typeof CHAT_QUEUE> {}

export const CHAT_REQUESTS = {
  id: 'text',
  chat_id: 'text',
  owner: 'text',
  status: 'text',
  message_id: 'integer?',
  queued_id: 'integer?',
  /** Name of the schema. Null after an erasure. */
  name: 'text?',
  /** Attempts, duration and cost are known when it has ended: the list is ordered by them. */
  attempt_count: 'integer?',
  /** Null if the wall clock stepped back, because two processes can have written start and end. */
  duration_ms: 'integer?',
  cost_micro_usd: 'integer?',
  schema_text: 'text',
  schema_hash: 'text',
  limits: 'text',
  revision: 'integer',
  /** Version of the JSON in `error`, `attempts` and `usage`. */
  receipt_version: 'integer',
  value_text: 'text?',
  value_hash: 'text?',
  numbers_exact: 'flag?',
  error: 'text?',
  mode: 'text?',
  attempts: 'text',
  model: 'text?',
  /** Schema mode of the model. Null without an answer of a model. */
  dialect: 'text?',
  usage: 'text?',
  created_at: 'integer',
  started_at: 'integer?',
  ended_at: 'integer?',
  deadline_at: 'integer?',
  /** True after the deletion of the chat. Then only states, times, model and usage remain. */
  erased: 'flag',
} as const;
/** A request for a validated answer, and its receipt after its end. */
export interface ChatRequestRow extends RowOf<typeof CHAT_REQUESTS> {}

export const TOOL_EXECUTIONS = {
  chat_id: 'text',
  message_id: 'integer',
  tool_call_id: 'text',
  position: 'integer',
  tool_name: 'text',
  run_by: 'text',
  input_hash: 'text',
  idempotent: 'flag',
  status: 'text',
  /** True if the messages contain its result, whatever the outcome of the call. */
  answered: 'flag',
  runner: 'text?',
  created_at: 'integer',
  started_at: 'integer?',
  ended_at: 'integer?',
} as const;
/** A tool call, written with the step that requested it, before it is executed. */
export interface ToolExecutionRow extends RowOf<typeof TOOL_EXECUTIONS> {}

export const IDEMPOTENCY_KEYS = {
  owner: 'text',
  route: 'text',
  key: 'text',
  body_hash: 'text',
  status: 'integer',
  /** Empty after the deletion of the chat. */
  body: 'text',
  created_at: 'integer',
  chat_id: 'text?',
} as const;
/** The stored response for an idempotency key. */
export interface IdempotencyKeyRow extends RowOf<typeof IDEMPOTENCY_KEYS> {}

export const ACCESS_TOKENS = {
  id: 'text',
  owner: 'text',
  name: 'text',
  hash: 'text',
  /** Scopes, separated by spaces. */
  scopes: 'text',
  created_at: 'integer',
  expires_at: 'integer?',
  revoked_at: 'integer?',
} as const;
/** A bearer token. Only its hash is stored. */
export interface AccessTokenRow extends RowOf<typeof ACCESS_TOKENS> {}

export const RECEIPT_SHARES = {
  id: 'text',
  owner: 'text',
  chat_id: 'text',
  request_id: 'text',
  hash: 'text',
  created_at: 'integer',
  expires_at: 'integer',
} as const;
/** A share link of a receipt. Only the hash of its key is stored. */
export interface ReceiptShareRow extends RowOf<typeof RECEIPT_SHARES> {}

export const SIGN_IN_CODES = {
  hash: 'text',
  /** The token combined with the code by XOR. Without the code, it is random. */
  half: 'text',
  expires_at: 'integer',
} as const;
/** A code of a link that signs one browser in. Only its hash is stored, and the row is deleted when it is used. */
export interface SignInCodeRow extends RowOf<typeof SIGN_IN_CODES> {}

export const READINESS_PROBES = {
  id: 'text',
  written_at: 'integer',
} as const;
/** One row, which the readiness check writes. */
export interface ReadinessProbeRow extends RowOf<typeof READINESS_PROBES> {}

export const AUDIT_LOG = {
  id: 'serial',
  at: 'integer',
  action: 'text',
  /** A token, the command, or the retention. */
  actor: 'text',
  owner: 'text?',
  /** Id of the chat or token. */
  subject: 'text?',
  /** JSON: counts. */
  detail: 'text',
} as const;
/** A deletion, an export or a change of tokens. Contains no text of a chat. */
export interface AuditLogTable extends RowOf<typeof AUDIT_LOG> {}

export const OWNER_USAGE = {
  owner: 'text',
  /** A UTC day such as `2026-11-23`, or a month. */
  period: 'text',
  turns: 'integer',
  tokens: 'integer',
  cost_micro_usd: 'integer',
} as const;
export interface OwnerUsageRow extends RowOf<typeof OWNER_USAGE> {}

export interface ChatTables {
  readonly chats: StoredChat;
  readonly chat_leases: ChatLeaseRow;
  readonly chat_messages: ChatMessageRow;
  readonly chat_queue: ChatQueueRow;
  readonly chat_requests: ChatRequestRow;
  readonly tool_executions: ToolExecutionRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly access_tokens: AccessTokenRow;
  readonly receipt_shares: ReceiptShareRow;
  readonly sign_in_codes: SignInCodeRow;
  readonly readiness_probes: ReadinessProbeRow;
  readonly audit_log: AuditLogTable;
  readonly owner_usage: OwnerUsageRow;
}
