/** SQLite connection: runs statements, and encodes and decodes strings. */
import type { DatabaseSync, StatementSync, SQLInputValue } from 'node:sqlite';
import { CompiledQuery, type QueryResult } from 'kysely';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { abortedError } from '../database/own-errors.ts';
import { fromStoredValues, toStoredParameters } from '../database/stored-text.ts';
import { whenFree } from './open-sqlite.ts';
import { toSqliteStoreError } from './sqlite-error.ts';

/** Size of the statement cache. Larger than the number of the program's fixed queries. */
const MAX_STATEMENTS = 256;

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly givesRows: boolean;
  /** Names of the columns, read with the first rows. */
  names: readonly string[];
}

/** One connection of a process to its file. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  /** Least recently used first. */
  readonly #statements = new Map<string, PreparedStatement>();

  readonly #onWritten: () => void;

  /** The first failed statement of the transaction. */
  #failure: unknown;

  /** @param onWritten - called after each commit, before any other statement can see it */
  constructor(database: DatabaseSync, onWritten: () => void) {
    this.#database = database;
    this.#onWritten = onWritten;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = toStoredParameters(parameters).map(toInputValue);
    try {
      // Safe to retry: a single statement has no effect while another connection holds the file.
      // Within a transaction none can hold it.
      return await whenFree(() => {
        const result = this.#run<R>(sql, values);
        if (!this.#database.isTransaction) this.#onWritten();
        return result;
      });
    } catch (error) {
      if (this.#database.isTransaction) this.#failure ??= error;
      throw toSqliteStoreError(error, `SQLite refused \`${sql.slice(0, 120)}\``);
    }
  }

  /** Starts a snapshot: the first read fixes the visible state. Takes no lock. */
  async beginView(): Promise<void> {
    this.#failure = undefined;
    await this.executeQuery(CompiledQuery.raw('begin deferred'));
  }

  /**
   * Starts an immediate transaction. A deferred one would fail at its first write after another
   * process's write.
   */
  async begin(): Promise<void> {
    this.#failure = undefined;
    await this.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Commits, unless a statement failed. Postgres behaves the same. */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw abortedError(this.#failure);
    await this.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollback(): Promise<void> {
    // SQLite ends a transaction itself when the disk fails.
    if (this.#database.isTransaction) await this.executeQuery(CompiledQuery.raw('rollback'));
  }

  #run<R>(sql: string, values: readonly SQLInputValue[]): QueryResult<R> {
    const prepared = this.#prepare(sql);
    if (prepared.givesRows) return { rows: readRows<R>(prepared, values) };
    const { changes, lastInsertRowid } = prepared.statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): PreparedStatement {
    const prepared = this.#statements.get(sql) ?? prepare(this.#database, sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, prepared);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MAX_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    return prepared;
  }
}

function prepare(database: DatabaseSync, sql: string): PreparedStatement {
  const statement = database.prepare(sql);
  const givesRows = statement.columns().length > 0;
  // Row objects of `node:sqlite` are slow to create and read. Arrays take half the time, including
  // the conversion.
  if (givesRows) statement.setReturnArrays(true);
  return { statement, givesRows, names: [] };
}

function readRows<R>(prepared: PreparedStatement, values: readonly SQLInputValue[]): R[] {
  // The types omit array rows.
  const lists = prepared.statement.all(...values) as unknown as readonly (readonly unknown[])[];
  // A schema change by another process makes SQLite prepare the statement again. Migrations only
  // add columns, so their number shows it.
  if (lists[0] !== undefined && lists[0].length !== prepared.names.length) {
    prepared.names = prepared.statement.columns().map(({ name }) => name);
  }
  // Kysely's types define the rows of the query.
  return lists.map((list) => fromStoredValues(prepared.names, list) as R);
}

function toInputValue(value: unknown): SQLInputValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  throw new UsageError(
    `Expected a stored value to be text, a number, bytes or null, got ${describeValue(value)}. Store a boolean as 0 or 1 and an object as JSON text.`,
  );
}
