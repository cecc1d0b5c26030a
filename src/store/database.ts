/** Owns what the store asks of a database beside Kysely's dialect: the seam between the two of them. */
import type { Dialect } from 'kysely';
import type { Notifications, StoreDialect, StoreTransaction } from './store.ts';

/** One opened database, not yet brought up to date. */
export interface Database {
  readonly dialect: StoreDialect;
  readonly kysely: Dialect;
  readonly notifications: Notifications;
  /** Notifies within a transaction; `tx` has everything but `notify` at that point. */
  notify(tx: Pick<StoreTransaction, 'db' | 'afterCommit'>, channel: string, payload: string): Promise<void>;
  /** Begins to listen, after the migrations. */
  listen(): Promise<void>;
  /** Waits for what is under way, and ends the connections. */
  close(): Promise<void>;
}
