/** Owns Kysely's way to a SQLite file by `node:sqlite`: one connection, handed to one user at a time. */
import type { DatabaseSync } from 'node:sqlite';
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler, type Dialect, type Driver } from 'kysely';
import { StoreError } from '../../errors/store-error.ts';
import type { TransactionGuard } from '../transaction-guard.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** Makes Kysely's dialect for an opened file. */
export function sqliteDialect(database: DatabaseSync, guard: TransactionGuard): Dialect {
  return {
    createAdapter: () => new QueueingSqliteAdapter(),
    createDriver: () => new SqliteDriver(database, guard),
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

class SqliteDriver implements Driver {
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
    throw new StoreError('The store is closed. Open it again.', { code: 'closed' });
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

  async destroy(): Promise<void> {
    if (this.#waiting !== undefined) await new Promise<void>((resolve) => this.#waiting?.push(resolve));
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
