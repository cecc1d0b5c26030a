/** Owns Kysely's way to a SQLite file by `node:sqlite`: one connection that writes, and one that reads and waits for no writer. */
import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { closedError } from '../own-errors.ts';
import type { TransactionGuard } from '../transaction-guard.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteLane } from './sqlite-lane.ts';

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
  /** The driver has its own queues, in front of which it refuses what would wait for itself. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The connections to one file; in memory there is but one, which does both. */
export interface SqliteLanes {
  readonly writer: SqliteLane;
  readonly reader: SqliteLane;
}

/** Lends the connections: by what is asked of them, as only a statement says whether it reads. */
export class SqliteDriver implements Driver {
  readonly #lanes: SqliteLanes;
  readonly #guard: TransactionGuard;

  constructor(lanes: SqliteLanes, guard: TransactionGuard) {
    this.#lanes = lanes;
    this.#guard = guard;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<LentConnection> {
    this.#guard.refuseInside();
    if (this.isClosed) throw closedError();
    return new LentConnection(this.#lanes);
  }

  async releaseConnection(connection: LentConnection): Promise<void> {
    connection.giveBack();
  }

  async beginTransaction(connection: LentConnection, { accessMode }: TransactionSettings): Promise<void> {
    const isView = accessMode === 'read only';
    const held = await connection.hold(isView ? this.#lanes.reader : this.#lanes.writer);
    await (isView ? held.beginView() : held.begin());
  }

  async commitTransaction(connection: LentConnection): Promise<void> {
    await connection.held?.commit();
  }

  async rollbackTransaction(connection: LentConnection): Promise<void> {
    await connection.held?.rollback();
  }

  /** Kysely would not tell by a typed error that it was destroyed: the store calls `close`. */
  async destroy(): Promise<void> {}

  /** Tells whether the file was closed. */
  get isClosed(): boolean {
    return this.#lanes.writer.isClosed;
  }

  /** Waits for those who asked before, then closes the file. */
  async close(): Promise<void> {
    const { reader, writer } = this.#lanes;
    if (reader !== writer) await reader.close();
    await writer.close();
  }
}

/** What Kysely is lent: a place in the queue is taken for each statement alone, or for a whole transaction. */
class LentConnection implements DatabaseConnection {
  readonly #lanes: SqliteLanes;
  #lane: SqliteLane | undefined;
  /** The connection of the transaction under way. */
  held: SqliteConnection | undefined;

  constructor(lanes: SqliteLanes) {
    this.#lanes = lanes;
  }

  async hold(lane: SqliteLane): Promise<SqliteConnection> {
    this.held = await lane.take();
    this.#lane = lane;
    return this.held;
  }

  giveBack(): void {
    this.#lane?.giveBack();
    this.#lane = undefined;
    this.held = undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.held !== undefined) return this.held.executeQuery<R>(query);
    const lane = query.query.kind === 'SelectQueryNode' ? this.#lanes.reader : this.#lanes.writer;
    const connection = await lane.take();
    try {
      return await connection.executeQuery<R>(query);
    } finally {
      lane.giveBack();
    }
  }

  // One chunk: the rows are in the process anyway.
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}
