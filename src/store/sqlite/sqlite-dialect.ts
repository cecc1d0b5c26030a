/** Owns Kysely's way to a SQLite file by `node:sqlite`: one connection, handed to one user at a time. */
import type { DatabaseSync } from 'node:sqlite';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect, type Driver } from 'kysely';
import { closedError } from '../own-errors.ts';
import type { TransactionGuard } from '../transaction-guard.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** Makes Kysely's dialect on a driver. */
export function sqliteDialect(driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new QueueingSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class QueueingSqliteAdapter extends SqliteAdapter {
  /** The driver has its own queue, in front of which it refuses what would wait for itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Lends the one connection to those who ask, first come first. */
export class SqliteDriver implements Driver {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  readonly #guard: TransactionGuard;
  /** Those who wait for the connection, first come first; undefined while it is free. */
  #waiting: (() => void)[] | undefined;
  #isClosed = false;

  constructor(database: DatabaseSync, guard: TransactionGuard) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
    this.#guard = guard;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<SqliteConnection> {
    this.#guard.refuseInside();
    if (this.#waiting === undefined) this.#waiting = [];
    else await new Promise<void>((resolve) => this.#waiting?.push(resolve));
    if (!this.#isClosed) return this.#connection;
    this.#passOn();
    throw closedError();
  }

  async releaseConnection(): Promise<void> {
    this.#passOn();
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback();
  }

  /** Kysely would not tell by a typed error that it was destroyed: the store calls `close`. */
  async destroy(): Promise<void> {}

  /** Tells whether the file was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits for those who asked before, then closes the file. */
  async close(): Promise<void> {
    await this.acquireConnection();
    this.#isClosed = true;
    this.#database.close();
    this.#passOn();
  }

  #passOn(): void {
    const next = this.#waiting?.shift();
    if (next === undefined) this.#waiting = undefined;
    else next();
  }
}
