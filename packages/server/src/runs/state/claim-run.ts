/** Claims of queued runs. One claim at a time on a database, so that no limit is exceeded. */
import { sql } from '@truecast/store/internal/database/sql';
import { lockName } from '@truecast/store/internal/locks';
import { oneAtATime } from '@truecast/store/internal/one-at-a-time';
import type { StoreTransaction } from '@truecast/store/internal/database/store';
import type { RunOffers } from '../agent-executor.ts';
import {
  claimOrder,
  isOffered,
  reachedLimit,
  type ClaimLimit,
  type HeldRuns,
  type RunLane,
} from '../claim-order.ts';
import { spentOwners } from '../../state/rows/owner-usage.ts';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { spentBatchIds } from './batch-budget.ts';
import type { AgentRunContext } from './run-context.ts';
import { UNREADABLE, writeEnding } from './run-ending.ts';
import { readabilityOf, type ListedRun } from './run-records.ts';
import { updateRunIn } from './run-update.ts';
import { liveWorkers } from './run-workers.ts';
import { hold, type HeldRun } from './run-work.ts';

/** All claims of a database take it. */
const CLAIM_LOCK = 'agent-runs';

/** A worker that wants a run. */
export interface RunClaim {
  readonly worker: string;
  readonly offers: RunOffers;
  /** Asked with a run at hand, because a worker can close while its claim waits. @default true */
  readonly wantsRun?: () => boolean;
}

/**
 * Claims the run that is next for this worker. Undefined if none can start now.
 *
 * Owners take turns. Runs of one owner are ordered by priority, then by age.
 */
export function claimNext(context: AgentRunContext, claim: RunClaim): Promise<HeldRun | undefined> {
  return oneAtATime(context.store, CLAIM_LOCK, async () => {
    // Without a transaction first: an idle worker must not write to the disk.
    if ((await queuedLanes(context.store.db, 1)).length === 0) return undefined;
    return claimInOrder(context, claim);
  });
}

function claimInOrder(
  context: AgentRunContext,
  { worker, offers, wantsRun = () => true }: RunClaim,
): Promise<HeldRun | undefined> {
  return context.store.transaction(async (tx) => {
    await lockName(tx, CLAIM_LOCK);
    const order = claimOrder({
      lanes: await queuedLanes(tx.db),
      held: await heldRuns(tx.db),
      limits: context.limits,
      offers,
      spent: await spentOwners(tx.db, context.usage, context.now()),
      lastStart: (owner) => context.recentOwners.lastStart(owner),
    });
    const now = context.now();
    const newer: string[] = [];
    const spentBatches = await spentBatchIds(tx.db);
    for (const lanes of order) {
      let runId = await headOf(tx.db, lanes, { now, newer, spentBatches });
      while (runId !== undefined) {
        // A run that this worker left was queued after the worker closed.
        if (!wantsRun()) return undefined;
        const held = await claimRun(context, tx, { runId, worker });
        if (typeof held === 'object') {
          tx.afterCommit(() => context.recentOwners.add(held.claimed.owner));
          return held;
        }
        if (held === 'newer') newer.push(runId);
        if (newer.length > MOST_NEWER) return undefined;
        runId = await headOf(tx.db, lanes, { now, newer, spentBatches });
      }
    }
    return undefined;
  });
}

/** Runs of a newer process that one claim passes. */
const MOST_NEWER = 100;

/**
 * Gives a queued run to a worker. A run of a newer process stays queued for a newer worker. One whose row is
 * broken ends: it would stop all claims.
 */
async function claimRun(
  context: AgentRunContext,
  tx: StoreTransaction,
  { runId, worker }: { readonly runId: string; readonly worker: string },
): Promise<HeldRun | 'newer' | 'ended'> {
  const row = await tx.db.selectFrom('agent_runs').selectAll().where('id', '=', runId).executeTakeFirst();
  if (row !== undefined && readabilityOf(row) === 'newer') return 'newer';
  return updateRunIn(context, tx, { runId, transition: 'claim', authority: {} }, async (update) => {
    if (readabilityOf(update.run) !== 'readable') {
      await writeEnding(update, UNREADABLE);
      return 'ended' as const;
    }
    update.next.status = 'running';
    return hold(update, worker);
  });
}

/** Counts the runs that workers have. */
async function heldRuns(db: StateDb): Promise<readonly HeldRuns[]> {
  return db
    .selectFrom('agent_runs')
    .select(['owner', 'repository', 'agent'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('worker', 'is not', null)
    .groupBy(['owner', 'repository', 'agent'])
    .execute();
}

/** Why a queued run has not started. */
export type ClaimWait = 'start_after' | 'budget' | 'no_worker' | ClaimLimit;

/** Returns a function that says why a queued run waits. Undefined for a run that only waits for a place. */
export async function claimWaits(
  context: AgentRunContext,
): Promise<(run: ListedRun) => ClaimWait | undefined> {
  const { store, limits, usage, now } = context;
  const held = await heldRuns(store.db);
  const spent = await spentOwners(store.db, usage, now());
  const spentBatches = new Set(await spentBatchIds(store.db));
  const workers = await liveWorkers(context);
  return (run) => {
    if (run.status !== 'queued') return undefined;
    if (run.notBefore > now()) return 'start_after';
    if (spent.has(run.owner)) return 'budget';
    if (run.batchId !== undefined && spentBatches.has(run.batchId)) return 'budget';
    if (!workers.some((worker) => isOffered(run, worker))) return 'no_worker';
    return reachedLimit(run, held, limits);
  };
}

/**
 * Lists the lanes with queued runs: one step of the index each, however many runs they have.
 */
async function queuedLanes(db: StateDb, limit = 100_000): Promise<readonly RunLane[]> {
  // One condition for each column: SQLite would use only the first column of a comparison of rows.
  const { rows } = await sql<RunLane>`
    with recursive lane (id) as (
      select id from (
        select id from agent_runs where status = 'queued'
        order by owner, repository, agent, priority desc, created_at, id limit 1
      ) as first
      union all
      select coalesce(
        (
          select id from agent_runs as later
          where status = 'queued' and owner = one.owner and repository = one.repository and agent > one.agent
          order by agent, priority desc, created_at, id limit 1
        ),
        (
          select id from agent_runs as later
          where status = 'queued' and owner = one.owner and repository > one.repository
          order by repository, agent, priority desc, created_at, id limit 1
        ),
        (
          select id from agent_runs as later
          where status = 'queued' and owner > one.owner
          order by owner, repository, agent, priority desc, created_at, id limit 1
        )
      )
      from lane join agent_runs as one on one.id = lane.id
    )
    select owner, repository, agent from lane join agent_runs on agent_runs.id = lane.id limit ${sql.lit(limit)}
  `.execute(db);
  return rows;
}

/** Runs that a claim passes. */
interface Passed {
  readonly now: number;
  readonly newer: readonly string[];
  readonly spentBatches: readonly string[];
}

/** Returns the first due run of an owner's lanes. */
async function headOf(
  db: StateDb,
  lanes: readonly RunLane[],
  { now, newer, spentBatches }: Passed,
): Promise<string | undefined> {
  const heads = [];
  for (const { owner, repository, agent } of lanes) {
    const head = await db
      .selectFrom('agent_runs')
      .select(['id', 'priority', 'created_at'])
      .where('status', '=', 'queued')
      .where('owner', '=', owner)
      .where('repository', '=', repository)
      .where('agent', '=', agent)
      .where('not_before', '<=', now)
      .$if(newer.length > 0, (query) => query.where('id', 'not in', newer))
      .$if(spentBatches.length > 0, (query) =>
        query.where(({ or, eb }) => or([eb('batch_id', 'is', null), eb('batch_id', 'not in', spentBatches)])),
      )
      .where(({ or, eb }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
      .orderBy('priority', 'desc')
      .orderBy('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (head !== undefined) heads.push(head);
  }
  heads.sort((one, other) => other.priority - one.priority || one.created_at - other.created_at);
  return heads[0]?.id;
}
