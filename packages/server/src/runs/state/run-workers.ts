/** Heartbeats of processes that execute runs, and the runs of those that stopped. */
import { sql } from '@truecast/store/internal/database/sql';
import { z } from 'zod';
import { parseJsonObject } from '@truecast/core/internal/json/parse-json';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { timeOf, type AgentRunContext } from './run-context.ts';
import { shownWorker, type LostWorker } from './run-work.ts';

/** Interval of the heartbeats of a process without runs. */
export const IDLE_BEAT_MS = 30_000;

/** Runs that a process can execute, and how many at once. */
export interface OfferedRuns {
  readonly repositories: readonly string[];
  readonly agents: readonly string[];
  /** Runs at once. */
  readonly places: number;
}

const offeredRuns: z.ZodType<OfferedRuns> = z.object({
  repositories: z.array(z.string()),
  agents: z.array(z.string()),
  places: z.number(),
});

/** Writes the heartbeat of a process. One row per process, whatever the number of its runs. */
export async function beat(context: AgentRunContext, worker: string, offered?: OfferedRuns): Promise<void> {
  const heartbeat_at = timeOf(context);
  const offers = offered === undefined ? null : JSON.stringify(offered);
  await context.store.db
    .insertInto('run_workers')
    .values({ id: worker, heartbeat_at, offers })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ heartbeat_at, offers }))
    .execute();
}

/** A living process, by its short name. */
export interface LiveWorker extends OfferedRuns {
  readonly worker: string;
}

/** Lists the processes that execute runs. One that stopped without a word is listed for 90 seconds. */
export async function liveWorkers(context: AgentRunContext): Promise<readonly LiveWorker[]> {
  const rows = await context.store.db
    .selectFrom('run_workers')
    .select(['id', 'offers'])
    .where('heartbeat_at', '>', sql<number>`${timeOf(context)} - ${sql.lit(3 * IDLE_BEAT_MS)}`)
    .orderBy('id')
    .execute();
  return rows.flatMap(({ id, offers }) => {
    const known = offeredRuns.safeParse(parseJsonObject(offers ?? '')).data;
    return known === undefined || context.isDeadWorker(id) ? [] : [{ ...known, worker: shownWorker(id) }];
  });
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
