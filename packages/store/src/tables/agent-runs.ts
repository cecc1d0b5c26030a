/** Table types of durable runs. JSON is text, times are milliseconds since 1970. */
import type { RowOf } from './columns.ts';

export const AGENT_RUNS = {
  id: 'text',
  owner: 'text',
  status: 'text',
  /** Progress of the last execution. Null before the first one, and after the end. */
  phase: 'text?',
  version: 'integer',
  repository: 'text',
  agent: 'text',
  model: 'text?',
  branch: 'text',
  metadata: 'text?',
  priority: 'integer',
  /** Earliest start. 0 without one. */
  not_before: 'integer',
  expires_at: 'integer?',
  parent_id: 'text?',
  /** `retry`, `continue` or `fork` of a run. `chat` or `response`: the kind of parent. */
  relation: 'text?',
  /** Session and prompts of earlier runs, as JSON. */
  continued: 'text?',
  /** Batch that the run is an item of. */
  batch_id: 'text?',
  /** Key of the item. Unique in its batch. */
  item_key: 'text?',
  /** Place of its end among those of its batch, from 1. */
  batch_seq: 'integer?',
  /** First characters of the prompt. */
  prompt_preview: 'text',
  schema_hash: 'text?',
  worker: 'text?',
  /** Fencing token of the worker: the number of executions so far. */
  generation: 'integer',
  /** Executions whose worker was lost. */
  losses: 'integer',
  base_sha: 'text?',
  head_sha: 'text?',
  /** Last commit that the remote's branch got from this run. */
  pushed_sha: 'text?',
  session_id: 'text?',
  /** Sum over all executions. */
  usage: 'text?',
  /** Attempts, duration and cost are known when it has ended: the list is ordered by them. Null without any. */
  attempt_count: 'integer?',
  duration_ms: 'integer?',
  cost_micro_usd: 'integer?',
  event_count: 'integer',
  event_bytes: 'integer',
  created_at: 'integer',
  started_at: 'integer?',
  ended_at: 'integer?',
  error: 'text?',
  value_hash: 'text?',
  value_text: 'text?',
  /** Further members of the receipt. */
  result: 'text?',
  /** The request as validated. */
  input: 'text',
  /** When its events and artifacts were removed. */
  cleared_at: 'integer?',
} as const;
/** A run: its request, its state, and its receipt after its end. */
export interface AgentRunRow extends RowOf<typeof AGENT_RUNS> {}

export const AGENT_RUN_EXECUTIONS = {
  run_id: 'text',
  number: 'integer',
  worker: 'text',
  started_at: 'integer',
  ended_at: 'integer?',
  /** `ended`, `left` or `lost`. */
  ending: 'text?',
} as const;
/** One worker's try at a run. */
export interface AgentRunExecutionRow extends RowOf<typeof AGENT_RUN_EXECUTIONS> {}

export const AGENT_RUN_EVENTS = {
  run_id: 'text',
  seq: 'integer',
  /** JSON. */
  data: 'text',
} as const;
/** An event of a run, never changed. */
export interface AgentRunEventRow extends RowOf<typeof AGENT_RUN_EVENTS> {}

export const AGENT_RUN_BLOBS = {
  run_id: 'text',
  name: 'text',
  /** Number of the part, from 0. */
  part: 'integer',
  media_type: 'text',
  /** Of a session: its file below the folder in which the agent keeps its sessions. */
  source: 'text?',
  /** Bytes that are left out at the beginning. The same in each part. */
  omitted: 'integer',
  bytes: 'bytes',
} as const;
/** A part of a run's session or artifact. */
export interface AgentRunBlobRow extends RowOf<typeof AGENT_RUN_BLOBS> {}

export const RUN_WORKERS = {
  id: 'text',
  heartbeat_at: 'integer',
  /** The runs that it can execute, as JSON. */
  offers: 'text?',
} as const;
/** A process that executes runs. A Postgres crash empties the table, and its processes write their rows again. */
export interface RunWorkerRow extends RowOf<typeof RUN_WORKERS> {}

export const AGENT_BATCHES = {
  id: 'text',
  owner: 'text',
  /** Unique for its owner. */
  name: 'text',
  /** The request of its items without their prompts, as validated. */
  input: 'text',
  schema_hash: 'text?',
  items: 'integer',
  succeeded: 'integer',
  failed: 'integer',
  canceled: 'integer',
  /** Budget of all its items together. No item starts once it is spent. */
  budget_tokens: 'integer?',
  budget_micro_usd: 'integer?',
  spent_tokens: 'integer',
  spent_micro_usd: 'integer',
  created_at: 'integer',
  /** When its last items were added, or when it was canceled. */
  closed_at: 'integer?',
  canceled_at: 'integer?',
} as const;
/** Runs with one request and different prompts. */
export interface AgentBatchRow extends RowOf<typeof AGENT_BATCHES> {}
export const WEBHOOK_DELIVERIES = {
  /** The header `webhook-id`. */
  id: 'text',
  run_id: 'text',
  owner: 'text',
  url: 'text',
  /** The same for each try. */
  body: 'text',
  /** `pending`, `delivered`, `failed` or `gone`. */
  status: 'text',
  tries: 'integer',
  /** Of a pending one. */
  next_at: 'integer?',
  created_at: 'integer',
  tried_at: 'integer?',
  answer_status: 'integer?',
  error: 'text?',
} as const;
/** The end of a run, for its webhook. */
export interface WebhookDeliveryRow extends RowOf<typeof WEBHOOK_DELIVERIES> {}

export const WEBHOOK_SECRETS = {
  owner: 'text',
  /** Number of rotations. The secret is derived from it. */
  counter: 'integer',
  rotated_at: 'integer',
} as const;
/** Rotations of an owner's secret. No row: it was never rotated. */
export interface WebhookSecretRow extends RowOf<typeof WEBHOOK_SECRETS> {}

export interface AgentRunTables {
  readonly agent_batches: AgentBatchRow;
  readonly agent_runs: AgentRunRow;
  readonly agent_run_executions: AgentRunExecutionRow;
  readonly agent_run_events: AgentRunEventRow;
  readonly agent_run_blobs: AgentRunBlobRow;
  readonly run_workers: RunWorkerRow;
  readonly webhook_deliveries: WebhookDeliveryRow;
  readonly webhook_secrets: WebhookSecretRow;
}
