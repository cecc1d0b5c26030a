/** Shared context of the state machine of runs: store, clock, limits and delivery. */
import type { Store, StoreTransaction } from '@truecast/store/internal/database/store';
import type { ObservedRun } from '../../contract/observed-work.ts';
import type { RecentOwners } from '../../state/rows/recent-owners.ts';
import type { ClaimLimits } from '../claim-order.ts';

/** Notification channel of changed runs. The payload is a `RunNotice`. */
export const RUN_CHANNEL = 'run';

/** Settings of the state machine. */
export interface RunSettings {
  readonly store: Store;
  /** Milliseconds since 1970. @default Date.now */
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
  readonly recentOwners: RecentOwners;
}
