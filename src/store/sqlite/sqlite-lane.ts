/** Owns lending one connection to a SQLite file: to one user at a time, first come first. */
import type { DatabaseSync } from 'node:sqlite';
import { closedError } from '../own-errors.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** One connection, and those who wait for it. */
export class SqliteLane {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  /** Those who wait for the connection, first come first; undefined while it is free. */
  #waiting: (() => void)[] | undefined;
  #isClosed = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#connection = new SqliteConnection(database);
  }

  /** Resolves once the connection is the caller's, until `giveBack`. @throws StoreError `closed` */
  async take(): Promise<SqliteConnection> {
    if (this.#waiting === undefined) this.#waiting = [];
    else await new Promise<void>((resolve) => this.#waiting?.push(resolve));
    if (!this.#isClosed) return this.#connection;
    this.giveBack();
    throw closedError();
  }

  giveBack(): void {
    const next = this.#waiting?.shift();
    if (next === undefined) this.#waiting = undefined;
    else next();
  }

  /** Tells whether the connection was ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits for those who asked before, then ends the connection. */
  async close(): Promise<void> {
    await this.take();
    this.#isClosed = true;
    this.#database.close();
    this.giveBack();
  }
}
