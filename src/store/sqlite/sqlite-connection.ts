/** Owns running statements on a SQLite file: parameters and rows pass through the stored form of strings. */
import type { DatabaseSync, StatementSync, SQLInputValue } from 'node:sqlite';
import { CompiledQuery, type QueryResult } from 'kysely';
import { UsageError } from '../../errors/usage-error.ts';
import { describeValue } from '../../errors/describe-value.ts';
import { abortedError } from '../own-errors.ts';
import { fromStoredRow, toStoredParameters } from '../stored-text.ts';
import { whenFree } from './open-sqlite.ts';
import { toSqliteStoreError } from './sqlite-error.ts';

/** How many prepared statements are kept: more than the program has queries of fixed form. */
const MAX_STATEMENTS = 256;

/** One connection of a process to its file. */
export class SqliteConnection {
  readonly #database: DatabaseSync;
  /** Least recently used first. */
  readonly #statements = new Map<string, StatementSync>();

  /** The first statement of the transaction that failed. */
  #failure: unknown;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    const values = toStoredParameters(parameters).map(toInputValue);
    try {
      // Within a transaction nobody else can hold the file; alone, a statement that met a held file did nothing.
      return await whenFree(() => this.#run<R>(sql, values));
    } catch (error) {
      if (this.#database.isTransaction) this.#failure ??= error;
      throw toSqliteStoreError(error, `SQLite refused \`${sql.slice(0, 120)}\``);
    }
  }

  /** Begins a view: what it reads first is what it sees until its end. No lock is taken. */
  async beginView(): Promise<void> {
    this.#failure = undefined;
    await this.executeQuery(CompiledQuery.raw('begin deferred'));
  }

  /** Begins one; a deferred one that writes after another process did could only fail. */
  async begin(): Promise<void> {
    this.#failure = undefined;
    await this.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Commits, unless a statement failed: Postgres would not either. */
  async commit(): Promise<void> {
    if (this.#failure !== undefined) throw abortedError(this.#failure);
    await this.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollback(): Promise<void> {
    // SQLite ends a transaction by itself when the disk fails.
    if (this.#database.isTransaction) await this.executeQuery(CompiledQuery.raw('rollback'));
  }

  #run<R>(sql: string, values: readonly SQLInputValue[]): QueryResult<R> {
    const statement = this.#prepare(sql);
    if (statement.columns().length > 0) {
      // Kysely's types say what the rows of the query are.
      return { rows: statement.all(...values).map((row) => fromStoredRow(row) as R) };
    }
    const { changes, lastInsertRowid } = statement.run(...values);
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#database.prepare(sql);
    this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    const [oldest] = this.#statements.keys();
    if (this.#statements.size > MAX_STATEMENTS && oldest !== undefined) this.#statements.delete(oldest);
    return statement;
  }
}

function toInputValue(value: unknown): SQLInputValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  throw new UsageError(
    `Expected a stored value to be text, a number, bytes or null, got ${describeValue(value)}. Store a boolean as 0 or 1 and an object as JSON text.`,
  );
}
