/** Owns the contract of the store: what both databases do alike. */
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from './tables/tables.ts';

/** Which database is behind a store. */
export type StoreDialect = 'sqlite' | 'postgres';

/**
 * Is a database, opened and brought up to date; made by `openStore()`.
 *
 * What was acknowledged (a statement or a transaction that resolved) is on the disk. Every string that JSON can carry survives in
 * every text column. Booleans are stored as 0 and 1, times as ISO 8601 text, JSON as text.
 */
export interface Store {
  readonly dialect: StoreDialect;
  /** For reads and single statements. Refused with `inside-transaction` in the work of a transaction or a view, where it would wait for itself. */
  readonly db: Kysely<Tables>;
  /**
   * Does `work` whole or not at all.
   *
   * SQLite: one at a time in the process, and waits for other processes. Postgres: read committed; what must not change under you is
   * locked by `forUpdate` or `lockName`. Work that lost a conflict, or whose connection broke before its commit, is done again from
   * its start, a bounded number of times: it changes nothing but the database, and keeps other effects for `afterCommit`.
   *
   * @throws StoreError `commit-unknown` when the connection broke at the commit: read before doing it again
   */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /**
   * Reads in one view of the database: nothing that is committed meanwhile is seen.
   *
   * It waits for no writer of any process, and no writer waits for it. Other readers of the process may: `read` does nothing but read.
   */
  view<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  readonly notifications: Notifications;
  /** Waits for what is under way, then leaves the database. Doing it twice is doing it once. */
  close(): Promise<void>;
}

/** One transaction under way; unusable once its work has ended. */
export interface StoreTransaction {
  readonly dialect: StoreDialect;
  readonly db: Transaction<Tables>;
  /** Calls `effect` after the commit, in order; never when there is none. What it throws becomes a warning. */
  afterCommit(effect: () => void): void;
  /** Notifies after the commit, in order; see `Notifications`. */
  notify(channel: string, payload: string): Promise<void>;
}

/** Hears a notification; `undefined` says that some may have been missed, and that the rows must be read again. */
export type NotificationListener = (payload: string | undefined) => void;

/**
 * Carries hints to whoever listens: the rows are the truth.
 *
 * On Postgres they reach every process on the database, on SQLite this process alone. Each listener hears those of one process in
 * their order. What a listener throws becomes a warning.
 */
export interface Notifications {
  /** Listens from now on, until the function that it returns is called. */
  subscribe(channel: string, listener: NotificationListener): () => void;
  /**
   * Notifies outside a transaction.
   *
   * @throws UsageError when channel and payload are over 7,000 bytes as JSON
   */
  publish(channel: string, payload: string): Promise<void>;
}

/** Something that went wrong aside of any call. */
export interface StoreWarning {
  readonly message: string;
  readonly cause: unknown;
}
