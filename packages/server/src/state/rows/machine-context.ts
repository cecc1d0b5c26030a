/** Shared context of the state machine: store, clock and limits. */
import type { Kysely } from 'kysely';
import type { QuotaSettings } from '../../contract/quotas.ts';
import type { Store } from '@truecast/store/internal/database/store';
import type { Tables } from '@truecast/store/internal/tables/tables';
import type { ObservedReceipt } from '../../contract/observed-work.ts';
import type { CommitGate } from '../../pacing/commit-gate.ts';
import type { RecentOwners } from './recent-owners.ts';

/** The tables, inside or outside a transaction. */
export type StateDb = Kysely<Tables>;

/** Notification channel for changed chats. */
export const CHAT_CHANNEL = 'chat';

/** Settings of the state machine. */
export interface MachineSettings {
  readonly store: Store;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** Generates ids of chats and leases. @default random UUIDs */
  readonly newId?: () => string;
  /** Lease duration without a heartbeat. @default 30_000 */
  readonly leaseMs?: number;
  /**
   * Returns true if a lease's worker is known to be dead, so that the lease need not expire.
   * @default `() => false`
   */
  readonly isDeadWorker?: (worker: string) => boolean;
  /** Maximum wait of a chat for client tool results. @default 300_000 */
  readonly actionDeadlineMs?: number;
  /**
   * Time for which the queue of a chat in `error` is held for its user, before its first message
   * runs. @default 60_000
   */
  readonly errorHoldMs?: number;
  /** Maximum queued messages per chat. @default 20 */
  readonly queueCap?: number;
  /** Unused chats are deleted after this time. @default never */
  readonly retentionMs?: number | undefined;
  /** Events and artifacts of ended agent runs are removed after this time. @default never */
  readonly keepRunsMs?: number | undefined;
  /** Rows of deleted chats and of their requests are deleted after this time. @default never */
  readonly skeletonRetentionMs?: number | undefined;
  /** Rows of the audit log are deleted after this time. @default never */
  readonly auditRetentionMs?: number | undefined;
  /** Without them, nothing is counted. @default none */
  readonly quotas?: QuotaSettings | undefined;
  /**
   * Called after a commit that left a chat with work and no worker. This is only a hint. The rows
   * are the source of truth.
   */
  readonly onRunnable?: (chatId: string, owner: string) => void;
  /** Called with each receipt that this machine committed. */
  readonly onReceipt?: (receipt: ObservedReceipt) => void;
}

/** Settings with their defaults, and the state that all changes share. */
export interface MachineContext extends Required<MachineSettings> {
  /** Gate of changes that start no turn. */
  readonly changes: CommitGate;
  readonly recentOwners: RecentOwners;
}
