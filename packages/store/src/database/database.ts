/** Interface between the store and a database, beyond Kysely's dialect. */
import type { Dialect } from 'kysely';
import type { Notifications, StoreDialect, StoreTransaction } from './store.ts';

/** An opened database before its format is checked. */
export interface Database {
  readonly dialect: StoreDialect;
  readonly kysely: Dialect;
  readonly notifications: Notifications;
  /**
   * Sends a notification within a transaction. At that point, `tx` has all methods except `notify`.
   */
  notify(tx: Pick<StoreTransaction, 'db' | 'afterCommit'>, channel: string, payload: string): Promise<void>;
  /** Called once, after the check of the format and before any other work. Postgres starts to listen. */
  ready(): Promise<void>;
  /** Waits for pending operations and closes the connections. */
  close(): Promise<void>;
}
