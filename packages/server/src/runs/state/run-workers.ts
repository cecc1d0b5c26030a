/** Heartbeats of processes that execute runs, and the runs of those that stopped. */
import type { StateDb } from '../../state/rows/machine-context.ts';
import { timeOf, type AgentRunContext } from './run-context.ts';
import type { LostWorker } from './run-work.ts';

/** Writes the heartbeat of a process. One row per process, whatever the number of its runs. */
export async function beat(context: AgentRunContext, worker: string): Promise<void> {
  const heartbeat_at = timeOf(context);
  await context.store.db
    .insertInto('run_workers')
    .values({ id: worker, heartbeat_at })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ heartbeat_at }))
    .execute();
}

/** Removes the row of a process that ends. */
export async function signOff({ store }: AgentRunContext, worker: string): Promise<void> {
  await store.db.deleteFrom('run_workers').where('id', '=', worker).execute();
}

/** A run that a worker has, with the worker's last heartbeat. */
export interface WorkersRun extends LostWorker {
  readonly runId: string;
  readonly repository: string;
  readonly agent: string;
  /** True if its agent only has to stop. */
  readonly isCanceling: boolean;
}

/** Lists the runs that workers have. */
export async function heldByWorkers(db: StateDb): Promise<readonly WorkersRun[]> {
  const rows = await db
    .selectFrom('agent_runs')
    .leftJoin('run_workers', 'run_workers.id', 'agent_runs.worker')
    .select(['agent_runs.id as runId', 'worker', 'repository', 'agent', 'status', 'heartbeat_at'])
    .where('worker', 'is not', null)
    .execute();
  return rows.map(({ worker, status, heartbeat_at: heartbeatAt, ...run }) => ({
    ...run,
    isCanceling: status === 'canceling',
    worker: worker ?? '',
    heartbeatAt: heartbeatAt ?? undefined,
  }));
}

/** Removes the rows of processes that stopped a day ago. */
export async function forgetWorkers({ store, now }: AgentRunContext): Promise<void> {
  await store.db
    .deleteFrom('run_workers')
    .where('heartbeat_at', '<', now() - 86_400_000)
    .execute();
}
