/** Owns what every part of the machine shares: the store, the clock, and the bounds. */
import type { Kysely } from 'kysely';
import type { Store } from '../../store/store.ts';
import type { Tables } from '../../store/tables/tables.ts';

/** The tables, inside a transaction or not. */
export type StateDb = Kysely<Tables>;

/** The channel on which the id of every chat that changed is told. */
export const CHAT_CHANNEL = 'chat';

/** What the machine works with. */
export interface MachineContext {
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
  /** How long a worker is believed without a heartbeat. */
  readonly leaseMs: number;
  /** Says of a worker named in a lease that it is dead for certain, so that its lease need not run out. */
  readonly isDeadWorker: (worker: string) => boolean;
  /** How long a chat waits for results of tools that the client runs. */
  readonly actionDeadlineMs: number;
  /** How long the queue of a chat in `error` is held for its user, before its head runs. */
  readonly errorHoldMs: number;
  /** The most messages that may wait in one chat. */
  readonly queueCap: number;
  /** Told after a commit that left a chat with work and no worker; a hint, the rows are the truth. */
  readonly onRunnable: (chatId: string) => void;
}
