/** Changes of runs by clients: creation, priority, cancellation and expiry. */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { PatchAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run-changes';
import { forUpdate, lockName } from '@truecast/store/internal/locks';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { AgentRunRow } from '@truecast/store/internal/tables/agent-runs';
import { spentIn } from '../../state/rows/owner-usage.ts';
import { storeResponse, type Idempotency } from '../../state/rows/idempotency.ts';
import { writeAudit } from '../../state/rows/audit-log.ts';
import { clearRuns } from '../../state/rows/erased-rows.ts';
import { isDone } from '../../state/rows/chat-update.ts';
import type { ContinuedRun, RunRelation } from '../continued-run.ts';
import { runNotFound } from '../run-transitions.ts';
import { RUN_CHANNEL, type AgentRunContext } from './run-context.ts';
import { writeEnding } from './run-ending.ts';
import { encodeRunNotice } from './run-notice.ts';
import { toRun, type RunRecord } from './run-records.ts';
import { updateRun } from './run-update.ts';

const PREVIEW_CHARS = 160;
/** A row has more columns than those for which the default is made. */
const ROWS_AT_ONCE = 500;

/** A new run of an owner. */
export interface NewRun {
  readonly owner: string;
  readonly request: CreateAgentRunBody;
  /** SHA-256 of the canonical JSON of its schema. Absent without one. */
  readonly schemaHash?: string;
  /** Derived from an idempotency key. A second creation returns the first run. @default a random id */
  readonly id?: string;
  readonly parent?: ParentRun;
  /** @default `truecast/runs/<id>`, unless the request has one */
  readonly branch?: string;
  /** Present for an item of a batch. */
  readonly item?: { readonly batchId: string; readonly key: string };
  readonly idempotency?: Idempotency<RunRecord>;
}

/** The run that a new one repeats or continues, or the chat or response that asked for it. */
export interface ParentRun {
  readonly id: string;
  readonly relation: RunRelation;
  /** Present for a run that continues another one, and for its retries. */
  readonly continued?: ContinuedRun;
}

/** A run of an owner. */
export interface OwnedRun {
  readonly owner: string;
  readonly runId: string;
}

/**
 * Creates a queued run.
 *
 * @throws ChatStateError `queue-full`; `budget-spent`; `not-allowed` if another run continues the parent on its branch;
 *   `idempotency-taken` if another request with the key was faster
 */
export function createRun(context: AgentRunContext, run: NewRun): Promise<RunRecord> {
  return context.store.transaction(async (tx) => {
    const first = run.id === undefined ? undefined : await findFirst(tx, { owner: run.owner, runId: run.id });
    if (first !== undefined) return toRun(first);
    await assertRoom(context, tx, { owner: run.owner, runs: 1 });
    await assertBudget(context, tx, run.owner);
    if (run.parent?.relation === 'continue') await assertLast(tx, { owner: run.owner, runId: run.parent.id });
    const row = newRow(context, run);
    await queueRuns(context, tx, [row]);
    const created = toRun(row);
    if (run.idempotency !== undefined) {
      await storeResponse(tx.db, { id: null, owner: run.owner }, run.idempotency, created, row.created_at);
    }
    return created;
  });
}

/** Finds the run that an earlier creation with the same id has stored. */
async function findFirst(tx: StoreTransaction, { owner, runId }: OwnedRun): Promise<AgentRunRow | undefined> {
  // Locked, because two transactions could both find none.
  await lockName(tx, `agent run ${runId}`);
  const query = tx.db.selectFrom('agent_runs').selectAll().where('id', '=', runId);
  return query.where('owner', '=', owner).executeTakeFirst();
}

/** Stores queued runs, and hands them to the workers. */
export async function queueRuns(
  context: AgentRunContext,
  tx: StoreTransaction,
  rows: readonly AgentRunRow[],
): Promise<void> {
  for (const chunk of rowChunks(rows, ROWS_AT_ONCE)) {
    await tx.db.insertInto('agent_runs').values(chunk).execute();
  }
  for (const row of rows) {
    await context.deliver(tx, { id: row.id, notBefore: row.not_before });
    await tx.notify(RUN_CHANNEL, encodeRunNotice(row));
  }
}

/** Cancels a run: a queued one at once, a running one when its worker has stopped its agent. */
export function requestCancel(
  context: AgentRunContext,
  { owner, runId, isOfBatch }: OwnedRun & { readonly isOfBatch?: true },
): Promise<RunRecord> {
  const change = { runId, transition: 'requestCancel', authority: { owner } } as const;
  return updateRun(context, change, async (update) => {
    if (update.from === 'queued') {
      await writeEnding(update, { ...(isOfBatch === true ? BATCH_CANCELED : CANCELED), outcome: {} });
    } else update.next.status = 'canceling';
    return toRun(update.next);
  });
}

/** Changes the place of a run in the queue, and the values by which it is found. */
export function patchRun(
  context: AgentRunContext,
  { owner, runId, priority, metadata }: OwnedRun & PatchAgentRunBody,
): Promise<RunRecord> {
  const change = { runId, transition: 'patchRun', authority: { owner } } as const;
  return updateRun(context, change, ({ next }) => {
    next.priority = priority ?? next.priority;
    if (metadata !== undefined) next.metadata = JSON.stringify(metadata);
    return toRun(next);
  });
}

/** Removes the events and the artifacts of a run that has ended. A second deletion changes nothing. */
export function deleteRun(
  context: AgentRunContext,
  { owner, runId, actor }: OwnedRun & { readonly actor: string },
): Promise<void> {
  const change = { runId, transition: 'deleteRun', authority: { owner } } as const;
  return updateRun(context, change, async ({ tx, next, now }) => {
    if (next.cleared_at !== null) return;
    await clearRuns(tx, [runId]);
    next.cleared_at = now;
    await writeAudit(tx.db, { action: 'run_deleted', actor, owner, subject: runId }, now);
  });
}

/** Cancels the queued runs that did not start in time. Returns their number. */
export async function expireRuns(context: AgentRunContext): Promise<number> {
  const due = await context.store.db
    .selectFrom('agent_runs')
    .select('id')
    .where('status', '=', 'queued')
    .where('expires_at', '<=', context.now())
    .orderBy('expires_at')
    .limit(100)
    .execute();
  let count = 0;
  for (const { id } of due) if (await isDone(expireRun(context, id))) count += 1;
  return count;
}

/** Cancels a queued run whose time is over. @throws ChatStateError `not-allowed` if it has started */
export function expireRun(context: AgentRunContext, runId: string): Promise<void> {
  return updateRun(context, { runId, transition: 'expire', authority: {} }, (update) =>
    writeEnding(update, { ...EXPIRED, outcome: {} }),
  );
}

export const CANCELED = {
  status: 'canceled',
  error: { code: 'canceled', message: 'The run was canceled. Retry it to run it again.' },
} as const;

const BATCH_CANCELED = {
  status: 'canceled',
  error: { code: 'batch_canceled', message: 'The batch of the run was canceled. Create another batch.' },
} as const;

const EXPIRED = {
  status: 'canceled',
  error: {
    code: 'expired',
    message: 'The run did not start in time. Raise `expires_after_seconds`, or start more workers.',
  },
} as const;

/** @throws ChatStateError `queue-full` if the owner cannot have as many further queued runs */
export async function assertRoom(
  context: AgentRunContext,
  tx: StoreTransaction,
  { owner, runs }: { readonly owner: string; readonly runs: number },
): Promise<void> {
  const { queuedPerOwner: limit } = context;
  if (limit === Infinity) return;
  await lockName(tx, `agent-runs of ${owner}`);
  const { queued } = await tx.db
    .selectFrom('agent_runs')
    .select(({ fn }) => fn.countAll<number>().as('queued'))
    .where('owner', '=', owner)
    .where('status', '=', 'queued')
    .executeTakeFirstOrThrow();
  if (queued + runs <= limit) return;
  throw new ChatStateError(`${limit} runs of this owner are queued. Wait until one starts, or cancel one.`, {
    code: 'queue-full',
    transition: 'createRun',
    limit,
  });
}

/**
 * Locks a parent, and refuses a second run that continues it on its branch. Both would commit there.
 *
 * @throws RequestRefusedError `not-found` if it was deleted
 */
async function assertLast(tx: StoreTransaction, { owner, runId }: OwnedRun): Promise<void> {
  const query = tx.db
    .selectFrom('agent_runs')
    .select('id')
    .where('id', '=', runId)
    .where('owner', '=', owner);
  if ((await forUpdate(tx, query).executeTakeFirst()) === undefined) throw runNotFound();
  const later = await tx.db
    .selectFrom('agent_runs')
    .select('id')
    .where('parent_id', '=', runId)
    .where('relation', '=', 'continue')
    .executeTakeFirst();
  if (later === undefined) return;
  throw new ChatStateError(
    `The run ${later.id} already continues this one on its branch. Continue that run, or set \`fork\`.`,
    { code: 'not-allowed', subject: runId, transition: 'createRun' },
  );
}

/** @throws ChatStateError `budget-spent` */
async function assertBudget(
  { usage, now }: AgentRunContext,
  { db }: StoreTransaction,
  owner: string,
): Promise<void> {
  const spent = await spentIn(db, usage, { owner, now: now() });
  if (spent === undefined) return;
  throw new ChatStateError(spent.message, {
    code: 'budget-spent',
    transition: 'createRun',
    resetsAt: spent.resetsAt,
  });
}

export function newRow(context: AgentRunContext, run: NewRun): AgentRunRow {
  const { owner, request, schemaHash, parent, item, branch = request.branch } = run;
  const { id = context.newId() } = run;
  const now = context.now();
  const { expires_after_seconds: expiry, start_after: startAfter, metadata } = request;
  const notBefore = startAfter === undefined ? 0 : Date.parse(startAfter);
  return {
    id,
    owner,
    status: 'queued',
    phase: null,
    version: 1,
    repository: request.repository,
    agent: request.agent,
    model: request.model ?? null,
    branch: branch ?? `truecast/runs/${id}`,
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    priority: request.priority ?? 0,
    not_before: notBefore,
    expires_at: expiry === undefined ? null : now + expiry * 1_000,
    parent_id: parent?.id ?? null,
    relation: parent?.relation ?? null,
    continued: parent?.continued === undefined ? null : JSON.stringify(parent.continued),
    batch_id: item?.batchId ?? null,
    item_key: item?.key ?? null,
    batch_seq: null,
    prompt_preview: request.prompt.slice(0, PREVIEW_CHARS).toWellFormed(),
    schema_hash: schemaHash ?? null,
    worker: null,
    generation: 0,
    losses: 0,
    base_sha: null,
    head_sha: null,
    pushed_sha: null,
    session_id: null,
    usage: null,
    attempt_count: null,
    duration_ms: null,
    cost_micro_usd: null,
    event_count: 0,
    event_bytes: 0,
    created_at: now,
    started_at: null,
    ended_at: null,
    error: null,
    value_hash: null,
    value_text: null,
    result: null,
    input: JSON.stringify(request),
    cleared_at: null,
  };
}
