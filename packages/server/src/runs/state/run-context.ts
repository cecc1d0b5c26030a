/** Shared context of the state machine of runs: store, clock, limits and delivery. */
import { sql, type RawBuilder } from 'kysely';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { ObservedRun } from '../../contract/observed-work.ts';
import type { RecentOwners } from '../../state/rows/recent-owners.ts';
import type { ClaimLimits } from '../claim-order.ts';

/** Notification channel of changed runs. The payload is a `RunNotice`. */
export const RUN_CHANNEL = 'run';

/** Settings of the state machine. */
export interface RunSettings {
  readonly store: Store;
  /** Milliseconds since 1970. @default the clock of this process, and for changes of runs that of Postgres */
  readonly now?: () => number;
  /** Generates the ids of runs. @default random UUIDs */
  readonly newId?: () => string;
  readonly limits?: ClaimLimits;
  /** Maximum number of queued runs of an owner. @default 10_000 */
  readonly queuedPerOwner?: number | undefined;
  /** Returns true if a worker is known to be dead. @default `() => false` */
  readonly isDeadWorker?: (worker: string) => boolean;
  /** Enqueues a job for a queued run, in the transaction that queues it. @default none: a sweep finds the run */
  readonly deliver?: (tx: StoreTransaction, run: DueRun) => Promise<void>;
  /** Called with each run that this machine ended, after the commit. */
  readonly onRunEnd?: (run: ObservedRun) => void;
}

/** A queued run, and its earliest start in milliseconds since 1970. */
export interface DueRun {
  readonly id: string;
  readonly notBefore: number;
}

/** Settings with their defaults, and the state that all changes share. */
export interface AgentRunContext extends Required<RunSettings> {
  readonly queuedPerOwner: number;
  /** True if times of changes come from the database. So the clocks of workers are never compared. */
  readonly hasDatabaseClock: boolean;
  readonly recentOwners: RecentOwners;
}

/** The current time in SQL, in milliseconds since 1970. Workers of one database share its clock. */
export function timeOf({ now, store, hasDatabaseClock }: AgentRunContext): RawBuilder<number> {
  if (hasDatabaseClock) return sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return store.dialect === 'postgres' ? sql<number>`${now()}::bigint` : sql<number>`${now()}`;
}
