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

/** Dependencies of the state machine. */
export interface MachineContext {
  readonly store: Store;
  /** Gate of changes that start no turn. */
  readonly changes: CommitGate;
  readonly now: () => number;
  readonly newId: () => string;
  /** Lease duration without a heartbeat. */
  readonly leaseMs: number;
  /** Returns true if a lease's worker is known to be dead, so that the lease need not expire. */
  readonly isDeadWorker: (worker: string) => boolean;
  /** Maximum wait of a chat for client tool results. */
  readonly actionDeadlineMs: number;
  /**
   * Time for which the queue of a chat in `error` is held for its user, before its first message
   * runs.
   */
  readonly errorHoldMs: number;
  /** Maximum queued messages per chat. */
  readonly queueCap: number;
  /** Unused chats are deleted after this time. Undefined keeps them. */
  readonly retentionMs: number | undefined;
  /** Rows of deleted chats and of their requests are deleted after this time. Undefined keeps them. */
  readonly skeletonRetentionMs: number | undefined;
  /** Rows of the audit log are deleted after this time. Undefined keeps them. */
  readonly auditRetentionMs: number | undefined;
  /** If undefined, nothing is counted. */
  readonly quotas: QuotaSettings | undefined;
  readonly recentOwners: RecentOwners;
  /**
   * Called after a commit that left a chat with work and no worker. This is only a hint. The rows
   * are the source of truth.
   */
  readonly onRunnable: (chatId: string, owner: string) => void;
  /** Called with each receipt, after its commit. */
  readonly onReceipt: (receipt: ObservedReceipt) => void;
}
