/**
 * Batches: runs with one request, which are added by key. Each end of an item increases
 * a count of the batch in its transaction.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { RequestRefusedError } from '@truecast/core/internal/errors/request-refused-error';
import {
  batchRequest,
  type BatchBudget,
  type BatchItemBody,
  type BatchRequest,
} from '@truecast/client/internal/wire/runs/agent-batch';
import { forUpdate } from '@truecast/store/internal/locks';
import type { Notifications, StoreTransaction } from '@truecast/store/internal/database/store';
import type { AgentBatchRow } from '@truecast/store/internal/tables/agent-runs';
import { waitForEnd } from '../../pacing/wait-for-end.ts';
import { isDone } from '../../state/rows/chat-update.ts';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { readJson } from '../../state/rows/stored-json.ts';
import { toZod } from '../../contract/to-zod.ts';
import { isHeldByBudget, toBudgetColumns } from './batch-budget.ts';
import { toRun, type RunRecord } from './run-records.ts';
import { assertRoom, newRow, queueRuns, requestCancel } from './run-changes.ts';
import { RUN_CHANNEL, type AgentRunContext } from './run-context.ts';

/** A batch of an owner. */
export interface OwnedBatch {
  readonly owner: string;
  readonly batchId: string;
}

export interface NewBatch {
  readonly owner: string;
  readonly name: string;
  readonly request: BatchRequest;
  readonly schemaHash?: string;
  /** Of all runs together. Replaces an earlier one. @default the earlier one, or none */
  readonly budget?: BatchBudget;
}

/** An ended item. */
export interface EndedItem {
  readonly key: string;
  readonly seq: number;
  readonly run: RunRecord;
}

/**
 * Creates a batch, or opens the one with its name and its request again, for items that it lacks. A canceled one
 * stays canceled. A budget replaces the one that the batch had.
 *
 * @throws ChatStateError `idempotency-mismatch` if the name is that of another request
 */
export function createBatch(context: AgentRunContext, batch: NewBatch): Promise<AgentBatchRow> {
  const { owner, name, request, schemaHash, budget } = batch;
  const input = JSON.stringify(request);
  return context.store.transaction(async (tx) => {
    const { db } = tx;
    const row: AgentBatchRow = {
      id: context.newId(),
      owner,
      name,
      input,
      schema_hash: schemaHash ?? null,
      items: 0,
      succeeded: 0,
      failed: 0,
      canceled: 0,
      ...toBudgetColumns(budget),
      spent_tokens: 0,
      spent_micro_usd: 0,
      created_at: context.now(),
      closed_at: null,
      canceled_at: null,
    };
    await db
      .insertInto('agent_batches')
      .values(row)
      .onConflict((conflict) => conflict.columns(['owner', 'name']).doNothing())
      .execute();
    const query = db.selectFrom('agent_batches').selectAll();
    const named = query.where('owner', '=', owner).where('name', '=', name);
    const stored = await forUpdate(tx, named).executeTakeFirstOrThrow();
    if (stored.input === input) {
      if (stored.canceled_at !== null) return stored;
      const opened = { closed_at: null, ...(budget !== undefined && toBudgetColumns(budget)) };
      // The sweep of the workers finds items that waited for it.
      return writeBatch(tx, stored, opened);
    }
    throw new ChatStateError('The batch with this name has another request. Use another `name`.', {
      code: 'idempotency-mismatch',
      subject: stored.id,
    });
  });
}

/**
 * Adds the items whose keys are new, and returns their number.
 *
 * @throws ChatStateError `not-allowed` for new items of a batch that is not open, `queue-full`
 */
export function addItems(
  context: AgentRunContext,
  { owner, batchId, items }: OwnedBatch & { readonly items: readonly BatchItemBody[] },
): Promise<number> {
  return context.store.transaction(async (tx) => {
    const batch = await lockBatch(tx, { owner, batchId });
    const known = await keysIn(tx.db, batchId, items);
    const added = new Map(items.map((item) => [item.key, item]));
    for (const key of known) added.delete(key);
    if (added.size === 0) return 0;
    if (batch.closed_at !== null) {
      throw new ChatStateError(refusalOf(batch), {
        code: 'not-allowed',
        subject: batchId,
        from: batchStatus(batch),
      });
    }
    await assertRoom(context, tx, { owner, runs: added.size });
    const request = readJson(toZod(batchRequest), batch.input);
    const rows = [...added.values()].map(({ key, prompt }) =>
      newRow(context, {
        owner,
        request: { ...request, prompt },
        item: { batchId, key },
        ...(batch.schema_hash !== null && { schemaHash: batch.schema_hash }),
      }),
    );
    await queueRuns(context, tx, rows);
    await tx.db
      .updateTable('agent_batches')
      .set(({ eb }) => ({ items: eb('items', '+', added.size) }))
      .where('id', '=', batchId)
      .execute();
    return added.size;
  });
}

function refusalOf({ canceled_at: canceledAt }: AgentBatchRow): string {
  if (canceledAt !== null) return 'The batch is canceled. Create one with another `name` for further items.';
  return 'The batch is closed. Create it again to add further items.';
}

/** Ends the upload of items. Closing a batch again changes nothing. */
export function closeBatch(context: AgentRunContext, owned: OwnedBatch): Promise<AgentBatchRow> {
  return context.store.transaction(async (tx) => {
    const batch = await lockBatch(tx, owned);
    return batch.closed_at === null ? writeBatch(tx, batch, { closed_at: context.now() }) : batch;
  });
}

/** Cancels a batch: it takes no further items, and its runs are canceled one after the other. */
export async function cancelBatch(context: AgentRunContext, owned: OwnedBatch): Promise<AgentBatchRow> {
  await context.store.transaction(async (tx) => {
    const batch = await lockBatch(tx, owned);
    const now = context.now();
    const closedAt = batch.closed_at ?? now;
    await writeBatch(tx, batch, { closed_at: closedAt, canceled_at: batch.canceled_at ?? now });
  });
  await cancelRuns(context, owned.batchId);
  return readBatch(context.store.db, owned);
}

/** Cancels the runs of canceled batches, whose process can have ended before it had canceled them all. */
export async function cancelBatchRuns(context: AgentRunContext): Promise<void> {
  const open = await context.store.db
    .selectFrom('agent_batches')
    .select('id')
    .where('canceled_at', 'is not', null)
    .where(({ eb }) => eb('items', '>', eb(eb('succeeded', '+', eb.ref('failed')), '+', eb.ref('canceled'))))
    .execute();
  for (const { id } of open) await cancelRuns(context, id);
}

/** Not in one transaction: an end locks its run before its batch. */
async function cancelRuns(context: AgentRunContext, batchId: string): Promise<void> {
  const runs = await context.store.db
    .selectFrom('agent_runs')
    .select(['id', 'owner'])
    .where('batch_id', '=', batchId)
    .where('status', 'in', ['queued', 'running'])
    .execute();
  // A run that ended first keeps its ending.
  for (const { id, owner } of runs) {
    await isDone(requestCancel(context, { owner, runId: id, isOfBatch: true }));
  }
}

/** @throws RequestRefusedError `not-found` */
export async function readBatch(db: StateDb, { owner, batchId }: OwnedBatch): Promise<AgentBatchRow> {
  const query = db.selectFrom('agent_batches').selectAll().where('id', '=', batchId);
  const row = await query.where('owner', '=', owner).executeTakeFirst();
  if (row === undefined) throw batchNotFound();
  return row;
}

/** A page of results, and the batch as it was before they were read. */
export interface EndedItems {
  readonly batch: AgentBatchRow;
  readonly results: readonly EndedItem[];
  /** True if all others wait for a higher budget. */
  readonly waitsForBudget: boolean;
}

/** Reads the results after a position. Waits for the next one, or for the end of the batch. */
export function waitForResults(
  db: StateDb,
  notifications: Notifications,
  wait: OwnedBatch & {
    readonly after: number;
    readonly limit: number;
    readonly waitMs: number;
    readonly signal?: AbortSignal;
  },
): Promise<EndedItems> {
  const { after, limit, waitMs, signal, ...owned } = wait;
  return waitForEnd({
    read: async () => {
      const batch = await readBatch(db, owned);
      // Before the results, so that none ends between both.
      const waitsForBudget = await isHeldByBudget(db, batch);
      const results = await readResults(db, { batchId: owned.batchId, after, limit });
      return { batch, results, waitsForBudget };
    },
    hasEnded: ({ batch, results, waitsForBudget }) => results.length > 0 || waitsForBudget || hasEnded(batch),
    listen: (wake) => notifications.subscribe(RUN_CHANNEL, wake),
    waitMs,
    signal,
  });
}

/** True if no further item will end. */
export function hasEnded({ closed_at: closedAt, items, ...batch }: AgentBatchRow): boolean {
  return closedAt !== null && batch.succeeded + batch.failed + batch.canceled === items;
}

export function batchStatus({ closed_at, canceled_at }: AgentBatchRow): 'open' | 'closed' | 'canceled' {
  if (canceled_at !== null) return 'canceled';
  return closed_at === null ? 'open' : 'closed';
}

async function readResults(
  db: StateDb,
  { batchId, after, limit }: { readonly batchId: string; readonly after: number; readonly limit: number },
): Promise<readonly EndedItem[]> {
  const rows = await db
    .selectFrom('agent_runs')
    .selectAll()
    .where('batch_id', '=', batchId)
    .where('batch_seq', '>', after)
    .orderBy('batch_seq')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ key: row.item_key ?? '', seq: row.batch_seq ?? 0, run: toRun(row) }));
}

async function lockBatch(tx: StoreTransaction, { owner, batchId }: OwnedBatch): Promise<AgentBatchRow> {
  const query = tx.db.selectFrom('agent_batches').selectAll().where('id', '=', batchId);
  const row = await forUpdate(tx, query.where('owner', '=', owner)).executeTakeFirst();
  if (row === undefined) throw batchNotFound();
  return row;
}

async function writeBatch(
  { db }: StoreTransaction,
  batch: AgentBatchRow,
  changes: Partial<AgentBatchRow>,
): Promise<AgentBatchRow> {
  await db.updateTable('agent_batches').set(changes).where('id', '=', batch.id).execute();
  return { ...batch, ...changes };
}

async function keysIn(
  db: StateDb,
  batchId: string,
  items: readonly BatchItemBody[],
): Promise<readonly string[]> {
  const keys = items.map(({ key }) => key);
  const query = db.selectFrom('agent_runs').select('item_key').where('batch_id', '=', batchId);
  const rows = await query.where('item_key', 'in', keys).execute();
  return rows.map(({ item_key: key }) => key ?? '');
}

function batchNotFound(): RequestRefusedError {
  return new RequestRefusedError('There is no batch with this id.', { code: 'not-found' });
}
