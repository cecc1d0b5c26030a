/** Store interface: behaviour common to both databases. */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables/tables.ts';

export type StoreDialect = 'sqlite' | 'postgres';

/**
 * An open database of the current format. Created by `openStore()`.
 *
 * An acknowledged write (a statement or transaction that resolved) is on disk. Every JSON string
 * survives in every text column. Booleans are stored as 0 and 1, times as ISO 8601 text, JSON as
 * text.
 */
export interface Store {
  readonly dialect: StoreDialect;
  /**
   * Runs reads and single statements. Throws `inside-transaction` within a transaction or view,
   * where it would deadlock.
   */
  readonly db: Kysely<Tables>;
  /**
   * Runs `work` atomically.
   *
   * SQLite runs one transaction at a time per process, and waits for other processes. Postgres uses
   * `read committed`: lock rows that must not change with `forUpdate` or `lockName`. After a
   * conflict, or a connection lost before the commit, the work is retried from its start for a
   * limited time. It must therefore change only the database, and leave other effects to
   * `afterCommit`.
   *
   * @throws StoreError `commit-unknown` if the connection was lost during the commit; read the rows
   *   before you retry
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /**
   * Reads one snapshot of the database. Later commits are not visible.
   *
   * It never waits for a writer of any process, and no writer waits for it. `read` must only read,
   * because other readers of the process can wait for it.
   */
  view<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  readonly notifications: Notifications;
  /** Waits for pending operations, then disconnects. Idempotent. */
  close(): Promise<void>;
}

/** A running transaction. Unusable after its work has ended. */
export interface StoreTransaction {
  readonly dialect: StoreDialect;
  readonly db: Transaction<Tables>;
  /**
   * Calls `effect` after the commit, in order, and never without one. An error it throws becomes a
   * warning.
   */
  afterCommit(effect: () => void): void;
  /** Sends a notification after the commit, in order. See `Notifications`. */
  notify(channel: string, payload: string): Promise<void>;
}

/**
 * Receives a notification. `undefined` means that notifications can be lost, and the rows must be
 * read again.
 */
export type NotificationListener = (payload: string | undefined) => void;

/**
 * Publish/subscribe of hints. The rows are the source of truth.
 *
 * On Postgres, notifications reach every process on the database. On SQLite, they reach only this
 * process. Each listener receives those of one process in order. An error it throws becomes a
 * warning.
 */
export interface Notifications {
  /** Subscribes. Returns the function that unsubscribes. */
  subscribe(channel: string, listener: NotificationListener): () => void;
  /**
   * Sends a notification outside a transaction.
   *
   * @throws UsageError if channel and payload exceed 7,000 bytes as JSON
   */
  publish(channel: string, payload: string): Promise<void>;
}

/** A fault outside any call. */
export interface StoreWarning {
  readonly message: string;
  readonly cause: unknown;
}
