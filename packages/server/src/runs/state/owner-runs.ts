/** Runs of one owner: all of them for an export, and their erasure. */
import type { Store } from '@truecast/store/internal/database/store';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { listExecutions } from './run-reads.ts';
import { toRun, type PastExecution, type RunRecord } from './run-records.ts';

const AT_ONCE = 50;

/** A run with its executions. */
export interface OwnersRun {
  readonly run: RunRecord;
  readonly executions: readonly PastExecution[];
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
    for (const row of rows) yield { run: toRun(row), executions: await listExecutions(db, row.id) };
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end.id;
  }
}

/**
 * Deletes the runs of an owner with their events, and the kept responses to its requests. A worker that has
 * one of them stops its agent at its next heartbeat. Returns the number of runs.
 */
export async function eraseRuns({ transaction }: Store, owner: string): Promise<number> {
  return transaction(async ({ db }) => {
    const ids = db.selectFrom('agent_runs').select('id').where('owner', '=', owner);
    await db.deleteFrom('agent_run_events').where('run_id', 'in', ids).execute();
    await db.deleteFrom('agent_run_executions').where('run_id', 'in', ids).execute();
    await db.deleteFrom('idempotency_keys').where('owner', '=', owner).where('chat_id', 'is', null).execute();
    const { numDeletedRows } = await db
      .deleteFrom('agent_runs')
      .where('owner', '=', owner)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
}
