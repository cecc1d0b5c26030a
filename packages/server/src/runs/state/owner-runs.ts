/** Runs of one owner: all of them for an export, and their erasure. */
import type { Store } from '@truecast/store/internal/database/store';
import type { AgentBatchRow, WebhookDeliveryRow } from '@truecast/store/internal/tables/agent-runs';
import { deleteRuns } from '../../state/rows/erased-rows.ts';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { listDeliveries } from '../webhooks/deliveries.ts';
import type { RunBlobInfo } from '../run-blob.ts';
import { artifactsOf, listExecutions } from './run-reads.ts';
import { toRun, type PastExecution, type RunRecord } from './run-records.ts';

const AT_ONCE = 50;

/** A run with its executions, its artifacts and the deliveries of its webhook. */
export interface OwnersRun {
  readonly run: RunRecord;
  readonly executions: readonly PastExecution[];
  readonly artifacts: readonly RunBlobInfo[];
  readonly deliveries: readonly WebhookDeliveryRow[];
}

/** @yields the runs of an owner in the order of their ids, one at a time */
export async function* runsOfOwner(db: StateDb, owner: string): AsyncGenerator<OwnersRun, void> {
  let last = '';
  for (;;) {
    const rows = await db
      .selectFrom('agent_runs')
      .selectAll()
      .where('owner', '=', owner)
      .where('id', '>', last)
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const row of rows) {
      const executions = await listExecutions(db, row.id);
      const artifacts = await artifactsOf(db, row.id);
      const deliveries = await listDeliveries(db, { owner, runId: row.id });
      yield { run: toRun(row), executions, artifacts, deliveries };
    }
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

/** Reads the batches of an owner, the oldest first. */
export function batchesOfOwner(db: StateDb, owner: string): Promise<readonly AgentBatchRow[]> {
  const query = db.selectFrom('agent_batches').selectAll().where('owner', '=', owner);
  return query.orderBy('created_at').orderBy('id').execute();
}

/**
 * Deletes the runs of an owner with their events and batches, and the kept responses to its requests. A worker that has
 * one of them stops its agent at its next heartbeat. Returns the number of runs.
 */
export async function eraseRuns({ db, transaction }: Store, owner: string): Promise<number> {
  let runs = 0;
  for (;;) {
    const rows = await db
      .selectFrom('agent_runs')
      .select('id')
      .where('owner', '=', owner)
      .limit(AT_ONCE)
      .execute();
    const ids = rows.map(({ id }) => id);
    await transaction(async (tx) => {
      await deleteRuns(tx, ids);
      const responses = tx.db.deleteFrom('idempotency_keys').where('owner', '=', owner);
      await responses.where('chat_id', 'is', null).execute();
      await tx.db.deleteFrom('webhook_secrets').where('owner', '=', owner).execute();
    });
    runs += ids.length;
    if (ids.length < AT_ONCE) break;
  }
  // Items can be added at the same time. The next call deletes them with their batch.
  const batches = db.deleteFrom('agent_batches').where('owner', '=', owner);
  await batches
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('agent_runs').select('id').whereRef('batch_id', '=', 'agent_batches.id'))),
    )
    .execute();
  return runs;
}
