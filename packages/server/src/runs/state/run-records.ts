/** Agent runs as read from their rows, and the JSON of their columns. */
import type { AliasedExpression } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import { z } from 'zod';
import {
  agentRunAttempt,
  createAgentRunBody,
  type AgentRunAttempt,
  type AgentRunError,
  type CreateAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run';
import { firstIssue, receiptUsage, type ReceiptUsage } from '@truecast/client/internal/wire/receipt';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { view } from '@truecast/core/internal/shape/view';
import type { AgentRunExecutionRow, AgentRunRow } from '@truecast/store/internal/tables/agent-runs';
import type { ObservedRun } from '../../contract/observed-work.ts';
import { toZod } from '../../contract/to-zod.ts';
import { readJson, readOr } from '../../state/rows/stored-json.ts';
import { continuedRun, type ContinuedRun, type RunRelation } from '../continued-run.ts';
import type { RunPhase, StoredRunStatus } from '../run-transitions.ts';

/** Members of the receipt without a column. */
export interface StoredResult {
  readonly text?: string;
  readonly mode?: string;
  readonly model?: string;
  readonly attempts: readonly AgentRunAttempt[];
  /** Absent in a row of an earlier version. */
  readonly repairs?: readonly string[];
  readonly warnings: readonly string[];
  readonly commits: readonly string[];
  /** Absent in a row of an earlier version. */
  readonly earlierBranches?: readonly string[];
}

/** Members that a newer version has added are left out, here and in errors: one run must not hide a list. */
const storedResult: z.ZodType<StoredResult> = z.object({
  text: z.string().exactOptional(),
  mode: z.string().exactOptional(),
  model: z.string().exactOptional(),
  attempts: z.array(toZod(agentRunAttempt)),
  repairs: z.array(z.string()).exactOptional(),
  warnings: z.array(z.string()),
  commits: z.array(z.string()),
  earlierBranches: z.array(z.string()).exactOptional(),
});

const storedError: z.ZodType<AgentRunError> = z.object({
  code: z.custom<AgentRunError['code']>((code) => typeof code === 'string'),
  reason: z.string().exactOptional(),
  message: z.string(),
  detail: z.string().exactOptional(),
  first_issue: toZod(firstIssue).exactOptional(),
  attempt_count: z.int().nonnegative().exactOptional(),
});

const metadata = z.record(z.string(), z.string());
const request = toZod(createAgentRunBody);

/** Columns that lists leave out, such as those of unbounded size. */
type DetailColumn =
  | 'schema_hash'
  | 'losses'
  | 'duration_ms'
  | 'cost_micro_usd'
  | 'base_sha'
  | 'head_sha'
  | 'pushed_sha'
  | 'session_id'
  | 'event_count'
  | 'event_bytes'
  | 'continued'
  | 'value_hash'
  | 'value_text'
  | 'result'
  | 'input'
  | 'cleared_at';
type ListedRow = Omit<AgentRunRow, DetailColumn>;

/** Columns that lists read. */
export const RUN_COLUMNS: readonly (keyof ListedRow)[] = [
  'id',
  'owner',
  'status',
  'phase',
  'version',
  'repository',
  'agent',
  'model',
  'branch',
  'metadata',
  'priority',
  'batch_id',
  'not_before',
  'expires_at',
  'parent_id',
  'relation',
  'prompt_preview',
  'worker',
  'generation',
  'created_at',
  'started_at',
  'ended_at',
  'error',
  'usage',
  'attempt_count',
];

const PREVIEW_CHARS = 160;

/** Beginning of the value, which lists read instead of all of it. */
export const VALUE_PREVIEW: AliasedExpression<string | null, 'value_preview'> = sql<
  string | null
>`substr(value_text, 1, ${sql.lit(PREVIEW_CHARS)})`.as('value_preview');

/** A run in a list. Times are milliseconds since 1970. */
export interface ListedRun {
  readonly id: string;
  readonly owner: string;
  readonly status: StoredRunStatus;
  /** Undefined before the first execution, and after the end. */
  readonly phase?: RunPhase;
  readonly version: number;
  readonly repository: string;
  readonly agent: string;
  readonly model?: string;
  readonly branch: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly priority: number;
  /** Earliest start. 0 without one. */
  readonly notBefore: number;
  readonly expiresAt?: number;
  readonly parentId?: string;
  readonly batchId?: string;
  readonly relation?: RunRelation;
  readonly promptPreview: string;
  readonly valuePreview?: string;
  readonly worker?: string;
  readonly executions: number;
  readonly error?: AgentRunError;
  readonly usage?: ReceiptUsage;
  /** After the end of a run that had attempts. */
  readonly attemptCount?: number;
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
}

/** A run with its request and its result. */
export interface RunRecord extends ListedRun {
  readonly request: CreateAgentRunBody;
  readonly schemaHash?: string;
  readonly continued?: ContinuedRun;
  readonly baseSha?: string;
  readonly headSha?: string;
  readonly pushedSha?: string;
  readonly sessionId?: string;
  readonly valueText?: string;
  readonly valueHash?: string;
  /** Present once the run has ended. */
  readonly result?: StoredResult;
  readonly eventCount: number;
  /** When its events and artifacts were removed. */
  readonly clearedAt?: number;
}

export function toListedRun(row: ListedRow & { readonly value_preview?: string | null }): ListedRun {
  return view<ListedRun>({
    id: row.id,
    owner: row.owner,
    // Table constraints limit both columns to these values.
    status: row.status as StoredRunStatus,
    phase: (row.phase ?? undefined) as RunPhase | undefined,
    version: row.version,
    repository: row.repository,
    agent: row.agent,
    model: row.model ?? undefined,
    branch: row.branch,
    // An unreadable run does not hide the others of a list.
    metadata: row.metadata === null ? {} : readOr(() => readJson(metadata, row.metadata ?? ''), {}),
    priority: row.priority,
    notBefore: row.not_before,
    expiresAt: row.expires_at ?? undefined,
    parentId: row.parent_id ?? undefined,
    batchId: row.batch_id ?? undefined,
    // Written by this room only.
    relation: (row.relation ?? undefined) as RunRelation | undefined,
    promptPreview: row.prompt_preview,
    valuePreview: row.value_preview ?? undefined,
    worker: row.worker ?? undefined,
    executions: row.generation,
    error: row.error === null ? undefined : readJson(storedError, row.error),
    usage: readOr(() => storedUsageOf(row), undefined),
    attemptCount: row.attempt_count ?? undefined,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  });
}

/** Sum of all executions. */
export function storedUsageOf({ usage }: Pick<AgentRunRow, 'usage'>): ReceiptUsage | undefined {
  return usage === null ? undefined : readJson(toZod(receiptUsage), usage);
}

/** Members of the receipt that an earlier execution left. Undefined without any, and in an unreadable row. */
export function storedResultOf({ result }: Pick<AgentRunRow, 'result'>): StoredResult | undefined {
  return result === null ? undefined : readOr(() => readJson(storedResult, result), undefined);
}

export function toRun(row: AgentRunRow): RunRecord {
  const known = view<Omit<RunRecord, keyof ListedRun>>({
    request: readJson(request, row.input),
    schemaHash: row.schema_hash ?? undefined,
    continued: row.continued === null ? undefined : readJson(continuedRun, row.continued),
    baseSha: row.base_sha ?? undefined,
    headSha: row.head_sha ?? undefined,
    pushedSha: row.pushed_sha ?? undefined,
    sessionId: row.session_id ?? undefined,
    valueText: row.value_text ?? undefined,
    valueHash: row.value_hash ?? undefined,
    result: row.result === null ? undefined : readJson(storedResult, row.result),
    eventCount: row.event_count,
    clearedAt: row.cleared_at ?? undefined,
  });
  const value_preview = row.value_text?.slice(0, PREVIEW_CHARS) ?? null;
  // Unlike a list, a run that is read alone must be readable as a whole.
  storedUsageOf(row);
  return { ...toListedRun({ ...row, value_preview }), ...known };
}

/**
 * Says if this version can read a row. `newer`: its request is a JSON object with members that this version
 * does not know. `broken`: it is no JSON object.
 */
export function readabilityOf(row: AgentRunRow): 'readable' | 'newer' | 'broken' {
  if (readOr(() => toRun(row) !== undefined, false)) return 'readable';
  const parsed = parseJson(row.input);
  return parsed.success && isRecord(parsed.value) ? 'newer' : 'broken';
}

/** Facts of a run that ended, without its content. */
export function toObservedRun(row: AgentRunRow): ObservedRun {
  const { error, usage, startedAt, endedAt = 0, ...run } = toListedRun(row);
  return view<ObservedRun>({
    origin: { ownerId: run.owner },
    runId: run.id,
    status: run.status,
    code: error?.code,
    reason: error?.reason,
    repository: run.repository,
    agent: run.agent,
    executions: run.executions,
    usage,
    durationMs: startedAt === undefined ? undefined : Math.max(0, endedAt - startedAt),
  });
}

export interface PastExecution {
  readonly number: number;
  readonly worker: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly ending?: 'ended' | 'left' | 'lost';
}

export function toPastExecution(row: AgentRunExecutionRow): PastExecution {
  return view<PastExecution>({
    number: row.number,
    worker: row.worker,
    startedAt: row.started_at,
    endedAt: row.ended_at ?? undefined,
    // Written by this room only.
    ending: (row.ending ?? undefined) as PastExecution['ending'],
  });
}
