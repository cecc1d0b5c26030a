/**
 * The single code path for changes of runs: a transaction with the row locked, the worker's fence and the
 * transition checked, events appended, and a notification after the commit.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { forUpdate } from '@truecast/store/internal/locks';
import { rowChunks } from '@truecast/store/internal/row-chunks';
import { write } from '@truecast/store/internal/write';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { AgentRunRow } from '@truecast/store/internal/tables/agent-runs';
import { toMicroUsd } from '../../contract/micro-usd.ts';
import { fromReceiptUsage } from '../../contract/receipt.ts';
import { toTime } from '../../contract/to-time.ts';
import { chargeOwner } from '../../state/rows/owner-usage.ts';
import { readOr } from '../../state/rows/stored-json.ts';
import { storeResponse, type Idempotency } from '../../state/rows/idempotency.ts';
import { boundEvents, type StoredRunEvent } from '../run-event.ts';
import {
  assertRunAllowed,
  assertRunEnding,
  runNotFound,
  runStateOf,
  type RunPhase,
  type AgentRunState,
  type StoredRunStatus,
  type RunTransition,
} from '../run-transitions.ts';
import { RUN_CHANNEL, timeOf, type AgentRunContext } from './run-context.ts';
import { encodeRunNotice } from './run-notice.ts';
import { toObservedRun, storedUsageOf } from './run-records.ts';

/** Fencing token of a worker. Each claim and each takeover increases the generation. */
export interface RunFence {
  readonly runId: string;
  readonly worker: string;
  readonly generation: number;
}

/** A writable copy of a run's row. */
export type DraftRun = { -readonly [Column in keyof AgentRunRow]: AgentRunRow[Column] };

/** A change in progress. Changes of `next` and `events` are written once, at the end. */
export interface RunUpdate {
  readonly context: AgentRunContext;
  readonly tx: StoreTransaction;
  readonly now: number;
  readonly from: AgentRunState;
  /** The row as locked. */
  readonly run: AgentRunRow;
  readonly next: DraftRun;
  readonly events: StoredRunEvent[];
}

/** The author of the change: the owner for a client, the fence for a worker. */
export interface RunAuthority<T> {
  readonly owner?: string;
  readonly fence?: RunFence;
  readonly idempotency?: Idempotency<T> | undefined;
}

/** A change of a run. */
export interface RunChange<T> {
  readonly runId: string;
  readonly transition: RunTransition;
  readonly authority: RunAuthority<T>;
}

/**
 * Changes a run atomically.
 *
 * @throws RequestRefusedError `not-found`
 * @throws ChatStateError `superseded`, `not-allowed`
 */
export function updateRun<T>(
  context: AgentRunContext,
  change: RunChange<T>,
  work: (update: RunUpdate) => Promise<T> | T,
): Promise<T> {
  return context.store.transaction((tx) => updateRunIn(context, tx, change, work));
}

/** Changes a run in a transaction. */
export async function updateRunIn<T>(
  context: AgentRunContext,
  tx: StoreTransaction,
  { runId, transition, authority }: RunChange<T>,
  work: (update: RunUpdate) => Promise<T> | T,
): Promise<T> {
  const now_ms = timeOf(context);
  const query = tx.db
    .selectFrom('agent_runs')
    .selectAll()
    .select(now_ms.as('now_ms'))
    .where('id', '=', runId);
  const read = await forUpdate(tx, query).executeTakeFirst();
  const { owner, fence, idempotency } = authority;
  if (read === undefined || (owner !== undefined && read.owner !== owner)) throw runNotFound();
  const { now_ms: now, ...run } = read;
  const from = stateOfRow(run);
  if (fence !== undefined) assertFence(run, fence, { transition, from });
  assertRunAllowed(transition, from, runId);
  const update: RunUpdate = {
    context,
    tx,
    now,
    from,
    run,
    next: { ...run, version: run.version + 1 },
    events: [],
  };
  const result = await work(update);
  assertRunEnding(transition, from, stateOfRow(update.next), runId);
  await countInBatch(update);
  await writeRun(update);
  if (idempotency !== undefined) {
    await storeResponse(tx.db, { id: null, owner: run.owner }, idempotency, result, now);
  }
  await tx.notify(RUN_CHANNEL, encodeRunNotice(update.next));
  if (isEnding(update)) tx.afterCommit(() => context.onRunEnd(toObservedRun(update.next)));
  return result;
}

/** Returns true for the change that ends the run. */
function isEnding({ run, next }: Pick<RunUpdate, 'run' | 'next'>): boolean {
  return run.ended_at === null && next.ended_at !== null;
}

/** Returns the state of a row. */
export function stateOfRow({ status, phase }: Pick<AgentRunRow, 'status' | 'phase'>): AgentRunState {
  // Table constraints limit both columns to these values.
  return runStateOf({
    status: status as StoredRunStatus,
    phase: (phase ?? undefined) as RunPhase | undefined,
  });
}

function assertFence(
  run: AgentRunRow,
  { worker, generation }: RunFence,
  facts: { readonly transition: RunTransition; readonly from: AgentRunState },
): void {
  if (run.worker === worker && run.generation === generation) return;
  throw new ChatStateError(
    'Another worker has this run, or it has ended. Stop the agent, and discard what was not stored.',
    { code: 'superseded', subject: run.id, ...facts },
  );
}

/** Counts usage and an end in the batch of the run. The row of the batch orders the ends. */
async function countInBatch({ tx, run, next }: RunUpdate): Promise<void> {
  const ends = isEnding({ run, next });
  const hasUsed = next.usage !== run.usage;
  if (next.batch_id === null || (!ends && !hasUsed)) return;
  const { inputTokens, outputTokens, costUsd } = usedSince(run, next);
  // The table limits the column.
  const column = next.status as 'succeeded' | 'failed' | 'canceled';
  const counted = await tx.db
    .updateTable('agent_batches')
    .set(({ eb }) => ({
      ...(hasUsed && {
        spent_tokens: eb('spent_tokens', '+', inputTokens + outputTokens),
        spent_micro_usd: eb('spent_micro_usd', '+', toMicroUsd(costUsd)),
      }),
      ...(ends && { [column]: eb(column, '+', 1) }),
    }))
    .where('id', '=', next.batch_id)
    .returning(['succeeded', 'failed', 'canceled'])
    .executeTakeFirstOrThrow();
  if (ends) next.batch_seq = counted.succeeded + counted.failed + counted.canceled;
}

/** Charges the usage since the last change. */
async function chargeUsage({ context, tx, run, next, now }: RunUpdate): Promise<void> {
  if (context.usage.quotas === undefined || next.usage === run.usage) return;
  const used = [{ ...NO_USAGE, ...usedSince(run, next) }];
  await chargeOwner(context.usage, tx.db, { owner: run.owner, used, now });
}

function usedSince(
  run: AgentRunRow,
  next: AgentRunRow,
): Required<Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>> {
  const [before, after] = [usageIn(run), usageIn(next)];
  return {
    inputTokens: Math.max(0, after.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, after.outputTokens - before.outputTokens),
    costUsd: Math.max(0, (after.costUsd ?? 0) - (before.costUsd ?? 0)),
  };
}

const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 0,
};

/** An unreadable sum counts as none. */
function usageIn(row: AgentRunRow): Usage {
  const usage = readOr(() => storedUsageOf(row), undefined);
  return usage === undefined ? NO_USAGE : fromReceiptUsage(usage);
}

async function writeRun(update: RunUpdate): Promise<void> {
  const { tx, run, next, events, now } = update;
  if (next.status !== run.status || next.phase !== run.phase) {
    // The table limits both columns.
    const status = next.status as StoredRunStatus;
    const event = { type: 'status', status, ...(next.phase !== null && { phase: next.phase }) } as const;
    // The last work comes before the end.
    if (next.worker === null && run.worker !== null) events.push(event);
    else events.unshift(event);
  }
  if (isEnding({ run, next })) events.push({ type: 'receipt' });
  await chargeUsage(update);
  await appendEvents(tx, next, { events, now });
  const changed = Object.fromEntries(
    Object.entries(next).filter(([column, value]) => run[column as keyof AgentRunRow] !== value),
  );
  await write(tx, tx.db.updateTable('agent_runs').set(changed).where('id', '=', run.id));
}

/** Stores events, and counts them in the draft of the run. */
async function appendEvents(
  tx: StoreTransaction,
  next: Pick<DraftRun, 'id' | 'event_count' | 'event_bytes'>,
  { events, now }: { readonly events: readonly StoredRunEvent[]; readonly now: number },
): Promise<void> {
  if (events.length === 0) return;
  const { kept, size } = boundEvents(
    { count: next.event_count, bytes: next.event_bytes },
    events,
    toTime(now),
  );
  const first = next.event_count + 1;
  const rows = kept.map((data, index) => ({ run_id: next.id, seq: first + index, data }));
  next.event_count = size.count;
  next.event_bytes = size.bytes;
  for (const chunk of rowChunks(rows)) await write(tx, tx.db.insertInto('agent_run_events').values(chunk));
}
