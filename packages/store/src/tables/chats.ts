/** Table types of chats. JSON is text, booleans are 0 and 1, times are milliseconds since 1970. */
import type { Generated } from 'kysely';

/** Integers above 2^31, which Postgres returns as text. */
export type Count = number;
type Flag = 0 | 1;

/**
 * A chat: its state, its change counter, and the counter values at which its history and queue last
 * changed.
 */
export interface StoredChat {
  readonly id: string;
  readonly owner: string;
  /** Chosen by its client, unique per owner. */
  readonly client_id: string | null;
  readonly status: string;
  readonly version: Count;
  /** Version at which the last turn began. */
  readonly turn_version: Count;
  readonly history_version: Count;
  readonly queue_version: Count;
  readonly attempt: number;
  readonly queue_length: number;
  readonly next_message_id: number;
  readonly next_queued_id: number;
  readonly plan_mode: Flag;
  /** The parent chat of a subagent's chat. */
  readonly parent_id: string | null;
  readonly title: string;
  readonly model: string;
  readonly system_prompt: string | null;
  readonly tools: string;
  readonly settings: string;
  /** Null without labels. */
  readonly labels: string | null;
  readonly request_id: string | null;
  readonly error: string | null;
  readonly retry: string | null;
  /** Time before which no worker takes the chat. */
  readonly retry_at: Count | null;
  readonly compaction_requested: Flag;
  readonly action_deadline: Count | null;
  readonly runner: string | null;
  /** Trace of the message that the turn works on. */
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly deleted: Flag;
  readonly created_at: Count;
  readonly updated_at: Count;
}

/**
 * Lease of a chat's worker. A separate table, so that heartbeats do not update chats. A Postgres
 * crash empties the table, and missing rows count as expired leases.
 */
export interface ChatLeaseRow {
  readonly chat_id: string;
  readonly runner: string;
  readonly worker: string;
  readonly heartbeat_at: Count;
}

/**
 * A message. `id` counts per chat. `revision` is the chat version that wrote or changed the
 * message.
 */
export interface ChatMessageRow {
  readonly chat_id: string;
  readonly id: number;
  readonly role: string;
  readonly parts: string;
  /** Version of the JSON in `parts`. */
  readonly parts_version: number;
  readonly visibility: string;
  readonly compressed: Flag;
  readonly deleted: Flag;
  readonly revision: Count;
  readonly request_id: string | null;
  readonly plan_mode: Flag | null;
  readonly step: string | null;
  readonly created_at: Count;
  /** Chosen by its client, unique per chat. */
  readonly client_id: string | null;
}

/** A queued message. The lowest `position` is the head. */
export interface ChatQueueRow {
  readonly chat_id: string;
  readonly id: number;
  readonly position: number;
  readonly parts: string;
  readonly parts_version: number;
  readonly request_id: string | null;
  readonly plan_mode: Flag | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly created_at: Count;
  readonly client_id: string | null;
}

/** A request for a validated answer, and its receipt after its end. */
export interface ChatRequestRow {
  readonly id: string;
  readonly chat_id: string;
  readonly owner: string;
  readonly status: string;
  readonly message_id: number | null;
  readonly queued_id: number | null;
  /** Name of the schema. Null after an erasure. */
  readonly name: string | null;
  readonly schema_text: string;
  readonly schema_hash: string;
  readonly limits: string;
  readonly revision: Count;
  /** Version of the JSON in `error`, `attempts` and `usage`. */
  readonly receipt_version: number;
  readonly value_text: string | null;
  readonly value_hash: string | null;
  readonly numbers_exact: Flag | null;
  readonly error: string | null;
  readonly mode: string | null;
  readonly attempts: string;
  readonly model: string | null;
  /** Schema mode of the model. Null without an answer of a model. */
  readonly dialect: string | null;
  readonly usage: string | null;
  readonly created_at: Count;
  readonly started_at: Count | null;
  readonly ended_at: Count | null;
  readonly deadline_at: Count | null;
  /** True after the deletion of the chat. Then only states, times, model and usage remain. */
  readonly erased: Flag;
}

/** A tool call, written with the step that requested it, before it is executed. */
export interface ToolExecutionRow {
  readonly chat_id: string;
  readonly message_id: number;
  readonly tool_call_id: string;
  readonly position: number;
  readonly tool_name: string;
  readonly run_by: string;
  readonly input_hash: string;
  readonly idempotent: Flag;
  readonly status: string;
  /** True if the messages contain its result, whatever the outcome of the call. */
  readonly answered: Flag;
  readonly runner: string | null;
  readonly created_at: Count;
  readonly started_at: Count | null;
  readonly ended_at: Count | null;
}

/** The stored response for an idempotency key. */
export interface IdempotencyKeyRow {
  readonly owner: string;
  readonly route: string;
  readonly key: string;
  readonly body_hash: string;
  readonly status: number;
  /** Empty after the deletion of the chat. */
  readonly body: string;
  readonly created_at: Count;
  readonly chat_id: string | null;
}

/** A bearer token. Only its hash is stored. */
export interface AccessTokenRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly hash: string;
  /** Scopes, separated by spaces. */
  readonly scopes: string;
  readonly created_at: Count;
  readonly expires_at: Count | null;
  readonly revoked_at: Count | null;
}

/** One row, which the readiness check writes. */
export interface ReadinessProbeRow {
  readonly id: string;
  readonly written_at: Count;
}

/** A deletion, an export or a change of tokens. Contains no text of a chat. */
export interface AuditLogTable {
  readonly id: Generated<Count>;
  readonly at: Count;
  readonly action: string;
  /** A token, the command, or the retention. */
  readonly actor: string;
  readonly owner: string | null;
  /** Id of the chat or token. */
  readonly subject: string | null;
  /** JSON: counts. */
  readonly detail: string;
}

/** Usage of an owner in one period. */
export interface OwnerUsageRow {
  readonly owner: string;
  /** A UTC day such as `2026-11-23`, or a month. */
  readonly period: string;
  readonly turns: Count;
  readonly tokens: Count;
  readonly cost_micro_usd: Count;
}

/** Chat tables by name. */
export interface ChatTables {
  readonly chats: StoredChat;
  readonly chat_leases: ChatLeaseRow;
  readonly chat_messages: ChatMessageRow;
  readonly chat_queue: ChatQueueRow;
  readonly chat_requests: ChatRequestRow;
  readonly tool_executions: ToolExecutionRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly access_tokens: AccessTokenRow;
  readonly readiness_probes: ReadinessProbeRow;
  readonly audit_log: AuditLogTable;
  readonly owner_usage: OwnerUsageRow;
}
