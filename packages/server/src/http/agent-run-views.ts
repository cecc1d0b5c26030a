/** Wire views of agent runs, their batches and webhooks: snake_case, ISO times, and no server-internal data. */
import { view } from '@truecast/core/internal/shape/view';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type {
  AgentRunDetailView,
  AgentRunExecution,
  AgentRunReceipt,
  AgentRunView,
} from '@truecast/client/internal/wire/runs/agent-run';
import type { AgentRunArtifact } from '@truecast/client/internal/wire/runs/agent-run-artifact';
import type { BatchView } from '@truecast/client/internal/wire/runs/agent-batch';
import type { WebhookDeliveryView } from '@truecast/client/internal/wire/webhook';
import type { AgentBatchRow, WebhookDeliveryRow } from '@truecast/store/internal/tables/agent-runs';
import { batchStatus } from '../runs/state/batches.ts';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { toTime } from '../contract/to-time.ts';
import type { RunBlobInfo } from '../runs/run-blob.ts';
import type { ClaimWait } from '../runs/state/claim-run.ts';
import type { RunMachine } from '../runs/state/run-machine.ts';
import type { ListedRun, PastExecution, RunRecord } from '../runs/state/run-records.ts';
import { shownWorker } from '../runs/state/run-work.ts';

const MICRO = 1_000_000;

/** Renders a run. `waitsFor`: why a queued one has not started. */
export function toAgentRunView(run: ListedRun, waitsFor?: ClaimWait): AgentRunView {
  const hasWorker = run.status === 'running' || run.status === 'canceling';
  return view<AgentRunView>({
    id: run.id,
    status: run.status,
    phase: hasWorker ? run.phase : undefined,
    waits_for: waitsFor,
    repository: run.repository,
    ref: undefined,
    agent: run.agent,
    model: run.model,
    branch: run.branch,
    metadata: Object.keys(run.metadata).length > 0 ? run.metadata : undefined,
    priority: run.priority,
    parent_id: run.parentId,
    relation: run.relation,
    executions: run.executions,
    worker: run.worker === undefined ? undefined : shownWorker(run.worker),
    code: run.error?.code,
    error: run.error,
    prompt_preview: run.promptPreview,
    value_preview: run.valuePreview,
    usage: run.usage,
    attempt_count: run.attemptCount,
    version: run.version,
    created_at: toTime(run.createdAt),
    start_after: run.notBefore === 0 ? undefined : toTime(run.notBefore),
    expires_at: timeOf(run.expiresAt),
    started_at: timeOf(run.startedAt),
    ended_at: timeOf(run.endedAt),
  });
}

/** Returns a function that says why a queued run waits. Reads the limits only if there are queued runs. */
export async function waitsOf(
  machine: RunMachine,
  runs: readonly ListedRun[],
): Promise<(run: ListedRun) => ClaimWait | undefined> {
  return runs.some(({ status }) => status === 'queued') ? machine.claimWaits() : () => undefined;
}

/** A run with the rows of other tables that its detail view has. */
export interface RunWithRows {
  readonly run: RunRecord;
  readonly executions: readonly PastExecution[];
  readonly artifacts: readonly RunBlobInfo[];
}

export function toAgentRunDetail(
  { run, executions, artifacts }: RunWithRows,
  waitsFor?: ClaimWait,
): AgentRunDetailView {
  const { prompt, ref, response_format: format, is_wrapped: isWrapped, tag, mode, limits = {} } = run.request;
  return {
    ...toAgentRunView(run, waitsFor),
    ...(ref !== undefined && { ref }),
    prompt,
    ...(format !== undefined && { response_format: format }),
    ...(isWrapped !== undefined && { is_wrapped: isWrapped }),
    ...(tag !== undefined && { tag }),
    ...(mode !== undefined && { mode }),
    limits,
    execution_history: executions.map(toExecutionView),
    artifacts: artifacts.map(toArtifactView),
    ...(run.clearedAt !== undefined && { cleared_at: toTime(run.clearedAt) }),
    ...(run.endedAt !== undefined && { receipt: toAgentRunReceipt(run) }),
  };
}

function toExecutionView({ number, worker, startedAt, endedAt, ending }: PastExecution): AgentRunExecution {
  return view<AgentRunExecution>({
    number,
    worker: shownWorker(worker),
    started_at: toTime(startedAt),
    ended_at: timeOf(endedAt),
    ending,
  });
}

/** The receipt of a run that has ended. */
export function toAgentRunReceipt(run: RunRecord): AgentRunReceipt {
  const { result, startedAt, endedAt = 0, valueText } = run;
  return view<AgentRunReceipt>({
    run_id: run.id,
    status: run.status,
    value: run.status === 'succeeded' && valueText !== undefined ? valueOf(valueText) : undefined,
    value_text: valueText,
    value_hash: run.valueHash,
    text: result?.text,
    error: run.error,
    schema_hash: run.schemaHash,
    mode: result?.mode,
    attempts: result?.attempts ?? [],
    repairs: result?.repairs,
    agent: run.agent,
    model: result?.model ?? run.model,
    usage: run.usage,
    repository: run.repository,
    branch: startedAt === undefined || run.request.read_only === true ? undefined : run.branch,
    base_sha: run.baseSha,
    head_sha: run.headSha,
    commits: result?.commits ?? [],
    pushed: run.pushedSha !== undefined && run.pushedSha === run.headSha,
    earlier_branches: result?.earlierBranches,
    executions: run.executions,
    warnings: result?.warnings ?? [],
    duration_ms: startedAt === undefined ? undefined : Math.max(0, endedAt - startedAt),
    created_at: toTime(run.createdAt),
    started_at: timeOf(startedAt),
    ended_at: toTime(endedAt),
  });
}

export function toArtifactView({ name, mediaType, size, omittedBytes }: RunBlobInfo): AgentRunArtifact {
  return view<AgentRunArtifact>({
    // `listArtifacts()` returns only these names.
    name: name as AgentRunArtifact['name'],
    media_type: mediaType,
    size,
    omitted_bytes: omittedBytes === 0 ? undefined : omittedBytes,
  });
}

/** Renders a delivery of a webhook. */
export function toDeliveryView(row: WebhookDeliveryRow): WebhookDeliveryView {
  return view<WebhookDeliveryView>({
    id: row.id,
    url: row.url,
    // Written by one room only.
    status: row.status as WebhookDeliveryView['status'],
    tries: row.tries,
    answer_status: row.answer_status ?? undefined,
    error: row.error ?? undefined,
    created_at: toTime(row.created_at),
    tried_at: row.tried_at === null ? undefined : toTime(row.tried_at),
    next_at: row.next_at === null ? undefined : toTime(row.next_at),
  });
}

/** Renders a batch. */
export function toBatchView(batch: AgentBatchRow): BatchView {
  const { id, name, items, succeeded, failed, canceled } = batch;
  return view<BatchView>({
    id,
    name,
    status: batchStatus(batch),
    items,
    succeeded,
    failed,
    canceled,
    budget: budgetOf(batch),
    spent: { tokens: batch.spent_tokens, usd: batch.spent_micro_usd / MICRO },
    created_at: toTime(batch.created_at),
    closed_at: batch.closed_at === null ? undefined : toTime(batch.closed_at),
  });
}

function budgetOf({ budget_tokens: tokens, budget_micro_usd: cost }: AgentBatchRow): BatchView['budget'] {
  if (tokens === null && cost === null) return undefined;
  return { ...(tokens !== null && { tokens }), ...(cost !== null && { usd: cost / MICRO }) };
}

function valueOf(text: string): JsonValue | undefined {
  const parsed = parseJson(text);
  // JSON was parsed.
  return parsed.success ? (parsed.value as JsonValue) : undefined;
}

function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : toTime(ms);
}
