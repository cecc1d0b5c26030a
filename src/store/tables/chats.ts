/** Owns the shape of the tables that hold chats. JSON is text; truths are 0 and 1; times are milliseconds since 1970. */

/** Whole numbers that may pass 2^31: Postgres hands them over as text. */
type Count = number;
type Flag = 0 | 1;

/** A chat: its state, and the counter of its changes with the marks of when its history and its queue last changed. */
export interface ChatRow {
  readonly id: string;
  readonly owner: string;
  readonly status: string;
  readonly version: Count;
  readonly history_version: Count;
  readonly queue_version: Count;
  readonly attempt: number;
  readonly queue_length: number;
  readonly next_message_id: number;
  readonly next_queued_id: number;
  readonly plan_mode: Flag;
  /** The chat that made this one to work for it. */
  readonly parent_id: string | null;
  readonly title: string;
  readonly model: string;
  readonly system_prompt: string | null;
  readonly tools: string;
  readonly settings: string;
  readonly request_id: string | null;
  readonly error: string | null;
  readonly retry: string | null;
  readonly compaction_requested: Flag;
  readonly action_deadline: Count | null;
  readonly runner: string | null;
  readonly deleted: Flag;
  readonly created_at: Count;
  readonly updated_at: Count;
}

/** Who works on a chat. A table of its own, so that a heartbeat changes no chat; lost when Postgres crashes, which reads as an expired lease. */
export interface ChatLeaseRow {
  readonly chat_id: string;
  readonly runner: string;
  readonly worker: string;
  readonly heartbeat_at: Count;
}

/** A message; `id` counts per chat, `revision` is the chat's version that wrote or changed it. */
export interface ChatMessageRow {
  readonly chat_id: string;
  readonly id: number;
  readonly role: string;
  readonly parts: string;
  readonly visibility: string;
  readonly compressed: Flag;
  readonly deleted: Flag;
  readonly revision: Count;
  readonly request_id: string | null;
  readonly plan_mode: Flag | null;
  readonly step: string | null;
  readonly created_at: Count;
}

/** A message that waits for its turn; the lowest `position` is the head. */
export interface ChatQueueRow {
  readonly chat_id: string;
  readonly id: number;
  readonly position: number;
  readonly parts: string;
  readonly request_id: string | null;
  readonly plan_mode: Flag | null;
  readonly created_at: Count;
}

/** A request for a validated answer, and its receipt once it has ended. */
export interface ChatRequestRow {
  readonly id: string;
  readonly chat_id: string;
  readonly owner: string;
  readonly status: string;
  readonly message_id: number | null;
  readonly queued_id: number | null;
  readonly schema_text: string;
  readonly schema_hash: string;
  readonly limits: string;
  readonly revision: Count;
  readonly value_text: string | null;
  readonly value_hash: string | null;
  readonly numbers_exact: Flag | null;
  readonly error: string | null;
  readonly mechanism: string | null;
  readonly attempts: string;
  readonly model: string | null;
  readonly usage: string | null;
  readonly created_at: Count;
  readonly started_at: Count | null;
  readonly ended_at: Count | null;
}

/** A tool call, written with the step that asked for it, before anything runs. */
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
  /** Whether its result stands in the messages, whatever became of the call itself. */
  readonly answered: Flag;
  readonly runner: string | null;
  readonly created_at: Count;
  readonly started_at: Count | null;
  readonly ended_at: Count | null;
}

/** The answer that a key of a client's was given, to be given again. */
export interface IdempotencyKeyRow {
  readonly owner: string;
  readonly route: string;
  readonly key: string;
  readonly body_hash: string;
  readonly status: number;
  readonly body: string;
  readonly created_at: Count;
}

/** A bearer token; only its hash is stored. */
export interface AccessTokenRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly hash: string;
  readonly created_at: Count;
  readonly revoked_at: Count | null;
}

/** The tables of chats, by name. */
export interface ChatTables {
  readonly chats: ChatRow;
  readonly chat_leases: ChatLeaseRow;
  readonly chat_messages: ChatMessageRow;
  readonly chat_queue: ChatQueueRow;
  readonly chat_requests: ChatRequestRow;
  readonly tool_executions: ToolExecutionRow;
  readonly idempotency_keys: IdempotencyKeyRow;
  readonly access_tokens: AccessTokenRow;
}
