/** Mutex around one SQLite connection, in first-in, first-out order. */
import type { DatabaseSync } from 'node:sqlite';
import { LoopSlices } from '../database/loop-slices.ts';
import { closedError } from '../database/own-errors.ts';
import { SqliteConnection } from './sqlite-connection.ts';

/** Callers of one turn of the event loop. SQLite works on the main thread, so that more would delay all others. */
const CALLERS = 8;

/** One connection and its waiting callers. */
export class SqliteLane {
  readonly #database: DatabaseSync;
  readonly #connection: SqliteConnection;
  /** Waiting callers in order. Undefined while the connection is free. */
  #waiting: (() => void)[] | undefined;
  #isClosed = false;
  readonly #slices = new LoopSlices(CALLERS);

  /** @param onWritten - called after each commit, before any other statement can see it */
  constructor(database: DatabaseSync, onWritten: () => void) {
    this.#database = database;
    this.#connection = new SqliteConnection(database, onWritten);
  }

  /** Resolves when the caller owns the connection, until `giveBack`. @throws StoreError `closed` */
  async take(): Promise<SqliteConnection> {
    if (this.#waiting === undefined) this.#waiting = [];
    else await new Promise<void>((resolve) => this.#waiting?.push(resolve));
    await this.#slices.next();
    if (!this.#isClosed) return this.#connection;
    this.giveBack();
    throw closedError();
  }

  giveBack(): void {
    const next = this.#waiting?.shift();
    if (next === undefined) this.#waiting = undefined;
    else next();
  }

  /** Returns true if the connection was closed. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Waits for earlier callers and for `settle`, then closes the connection. */
  async close(settle: () => Promise<void>): Promise<void> {
    await this.take();
    this.#isClosed = true;
    await settle();
    this.#database.close();
    this.giveBack();
  }
}
