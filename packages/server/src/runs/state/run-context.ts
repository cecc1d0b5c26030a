/** Shared context of the state machine of runs: store, clock, limits and delivery. */
import type { RawBuilder } from 'kysely';
import { sql } from '@truecast/store/internal/database/sql';
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { ObservedRun } from '../../contract/observed-work.ts';
import type { UsageScope } from '../../state/rows/owner-usage.ts';
import type { RecentOwners } from '../../state/rows/recent-owners.ts';
import type { AnnounceDelivery } from '../webhooks/new-delivery.ts';
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
  /** Budget of each owner in a day of UTC. @default none */
  readonly dayBudget?: OwnerBudget | undefined;
  /** Returns true if a worker is known to be dead. @default `() => false` */
  readonly isDeadWorker?: (worker: string) => boolean;
  /** Enqueues a job for a queued run, in the transaction that queues it. @default none: a sweep finds the run */
  readonly deliver?: (tx: StoreTransaction, run: DueRun) => Promise<void>;
  /** Key of the secrets of webhooks. @default none: no webhook is sent */
  readonly webhookKey?: string | undefined;
  /** Enqueues a try of a webhook, in the same transaction as its row. @default a sweep finds the row */
  readonly announce?: AnnounceDelivery;
  /** Called with each run that this machine ended, after the commit. */
  readonly onRunEnd?: (run: ObservedRun) => void;
}

/** Tokens and US dollars of all runs of an owner. */
export interface OwnerBudget {
  readonly tokens?: number;
  readonly costUsd?: number;
}

/** A queued run, and its earliest start in milliseconds since 1970. */
export interface DueRun {
  readonly id: string;
  readonly notBefore: number;
}

/** Settings with their defaults, and the state that all changes share. */
export interface AgentRunContext extends Required<RunSettings> {
  readonly queuedPerOwner: number;
  /** Scope in which the usage of runs is counted. */
  readonly usage: UsageScope;
  /** True if times of changes come from the database. So the clocks of workers are never compared. */
  readonly hasDatabaseClock: boolean;
  readonly recentOwners: RecentOwners;
}

/** The current time in SQL, in milliseconds since 1970. Workers of one database share its clock. */
export function timeOf({ now, store, hasDatabaseClock }: AgentRunContext): RawBuilder<number> {
  if (hasDatabaseClock) return sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;
  return store.dialect === 'postgres' ? sql<number>`${now()}::bigint` : sql<number>`${now()}`;
}
