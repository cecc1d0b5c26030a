/**
 * Kysely dialect for `node:sqlite`: one write connection, and one read connection that waits for no
 * writer.
 */
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
import { closedError, unknownCommitError } from '../database/own-errors.ts';
import type { TransactionGuard } from '../database/transaction-guard.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteLane } from './sqlite-lane.ts';
import type { WalSync } from './wal-sync.ts';

/** Creates Kysely's dialect for a driver. */
export function sqliteDialect(driver: SqliteDriver): Dialect {
  return {
    createAdapter: () => new QueueingSqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

class QueueingSqliteAdapter extends SqliteAdapter {
  /**
   * The driver has its own queues. It rejects calls that would deadlock before they enter a queue.
   */
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The connections to one file. A memory database has one for both purposes. */
export interface SqliteLanes {
  readonly writer: SqliteLane;
  readonly reader: SqliteLane;
  /** Syncs of the file. Undefined if SQLite itself syncs, or if there is no file. */
  readonly sync?: WalSync;
  /** Checkpoints of a file that the store syncs. */
  readonly checkpoints?: Checkpoints;
}

/** Assigns a connection per statement, because only the statement shows whether it reads. */
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
    await connection.commit();
  }

  async rollbackTransaction(connection: LentConnection): Promise<void> {
    await connection.held?.rollback();
  }

  /** Kysely has no typed error for a destroyed driver: the store calls `close`. */
  async destroy(): Promise<void> {}

  /** Returns true if the file was closed. */
  get isClosed(): boolean {
    return this.#lanes.writer.isClosed;
  }

  /** Waits for earlier callers, then closes the file. */
  async close(): Promise<void> {
    const { reader, writer, sync, checkpoints } = this.#lanes;
    if (reader !== writer) await reader.close(async () => undefined);
    await writer.close(async () => {
      await sync?.close();
      await checkpoints?.close();
    });
  }
}

/** Kysely's connection: queues each single statement, or a whole transaction. */
class LentConnection implements DatabaseConnection {
  readonly #lanes: SqliteLanes;
  #lane: SqliteLane | undefined;
  /** The connection of the running transaction. */
  held: SqliteConnection | undefined;

  constructor(lanes: SqliteLanes) {
    this.#lanes = lanes;
  }

  async hold(lane: SqliteLane): Promise<SqliteConnection> {
    this.held = await lane.take();
    this.#lane = lane;
    return this.held;
  }

  /** Commits. The next transaction can begin while this one is synced. */
  async commit(): Promise<void> {
    const { sync, writer } = this.#lanes;
    const isWrite = this.#lane === writer;
    await this.held?.commit();
    this.giveBack();
    try {
      await sync?.durable();
    } catch (error) {
      throw isWrite ? unknownCommitError('A sync of the disk failed', error) : error;
    }
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
    let result: QueryResult<R>;
    try {
      result = await connection.executeQuery<R>(query);
    } finally {
      lane.giveBack();
    }
    // Waits until the rows that were read are on disk, because a power failure must not undo data
    // that was shown.
    await this.#lanes.sync?.durable();
    return result;
  }

  // Returns one chunk, because the rows are in memory anyway.
  async *streamQuery<R>(query: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    yield await this.executeQuery<R>(query);
  }
}
