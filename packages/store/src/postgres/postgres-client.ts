/**
 * Postgres connection of the pool: encodes strings, prepares statements, and sends statements
 * without a result together with the next one.
 *
 * begin and writes (sent, not awaited) → a read or the commit (awaited): one round trip and one
 * write to the socket.
 */
import type { PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type { PoolClient } from 'pg';
import type { StoreError } from '@truecast/core/internal/errors/store-error';
import { fromStoredRow, toStoredParameters } from '../database/stored-text.ts';
import { UNAWAITED } from '../database/unawaited.ts';
import { isStalePlan, toPostgresStoreError } from './postgres-error.ts';

const BEGIN = /^(?:begin|start transaction)\b/u;
/** Result of a statement that is not awaited. */
const SENT = { command: 'INSERT', rowCount: 1, rows: [] } as const;

/** Wraps a client for Kysely. */
export function storedClient(client: PoolClient): PostgresPoolClient {
  const connection = new StoredClient(client);
  return {
    // Streaming needs a cursor, which the dialect does not support.
    query: ((sql: string, parameters: readonly unknown[]) =>
      connection.query(sql, parameters)) as PostgresPoolClient['query'],
    // If a string of several statements fails midway, it leaves an open transaction that no caller
    // ends.
    release: (destroy?: boolean) => client.release(destroy === true || client.getTransactionStatus() !== 'I'),
  };
}

class StoredClient {
  readonly #client: PoolClient;
  readonly #names = new StatementNames();
  /** Statements of the transaction that were sent and not awaited. */
  #sent: Promise<unknown>[] = [];
  #isJoining = false;
  /** The error that ended the connection, for later calls such as a rollback. */
  #lost: StoreError | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async query<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    const isUnawaited = sql.endsWith(UNAWAITED);
    if (isUnawaited || BEGIN.test(sql)) {
      const statement = isUnawaited ? sql.slice(0, -UNAWAITED.length).trimEnd() : sql;
      this.#sendAhead(this.#run(statement, parameters));
      return SENT as unknown as PostgresQueryResult<R>;
    }
    if (this.#sent.length === 0) return this.#run<R>(sql, parameters);
    const earlier = this.#sent;
    this.#sent = [];
    const [last, ...before] = await Promise.allSettled([this.#run<R>(sql, parameters), ...earlier]);
    const failed = before.find(({ status }) => status === 'rejected') ?? last;
    if (sql === 'rollback' && last.status === 'fulfilled') return last.value;
    if (failed.status === 'rejected') throw failed.reason;
    return (last as PromiseFulfilledResult<PostgresQueryResult<R>>).value;
  }

  /**
   * Holds back the messages of this statement until the event loop would wait, so that all
   * statements sent until then are one write to the socket.
   */
  #joinWrites(): void {
    if (this.#isJoining) return;
    this.#isJoining = true;
    const { stream } = this.#client.connection;
    stream.cork();
    // Tasks of `nextTick` run after all microtasks, so after the code that awaits no answer.
    queueMicrotask(() =>
      process.nextTick(() => {
        this.#isJoining = false;
        stream.uncork();
      }),
    );
  }

  #sendAhead(statement: Promise<unknown>): void {
    statement.catch(() => undefined);
    this.#sent.push(statement);
  }

  async #run<R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> {
    try {
      const values = toStoredParameters(parameters);
      const name = values.length === 0 ? undefined : this.#names.nameOf(sql);
      const query = name === undefined ? { text: sql, values } : { name, text: sql, values };
      this.#joinWrites();
      const answer = await this.#client.query<Record<string, unknown>>(query);
      // A string of several statements returns several results, which the types of `pg` omit.
      const results = [answer].flat();
      const rows = results.flatMap((result) => result.rows.map(fromStoredRow));
      // Kysely returns no rows of a `COMMIT`, and a batch of pg-boss ends with one.
      const command = results.length === 1 ? answer.command : 'SELECT';
      // Kysely's types define the rows of the query and the possible commands.
      return { ...results.at(-1), command, rows } as PostgresQueryResult<R>;
    } catch (error) {
      if (isStalePlan(error)) {
        this.#names.renew();
        if (this.#client.getTransactionStatus() === 'I') return this.#run(sql, parameters);
      }
      const typed = toPostgresStoreError(error, `Postgres refused \`${sql.slice(0, 120)}\``);
      if (typed.code === 'connection-lost') this.#lost ??= typed;
      throw this.#lost ?? typed;
    }
  }
}

/**
 * Maximum number of prepared statements per connection. Larger than the number of the program's
 * fixed queries.
 */
const MAX_NAMES = 256;

/** Assigns names by text. */
class StatementNames {
  readonly #names = new Map<string, string>();
  #generation = 0;

  /**
   * Returns the name of a statement. Undefined if too many texts exist, because a list has one text
   * for each length.
   */
  nameOf(sql: string): string | undefined {
    const known = this.#names.get(sql);
    if (known !== undefined || this.#names.size >= MAX_NAMES) return known;
    const name = `t${this.#generation}-${this.#names.size}`;
    this.#names.set(sql, name);
    return name;
  }

  /**
   * Prepares every text again, because a migration of another process changed the columns of a
   * result.
   */
  renew(): void {
    this.#generation += 1;
    this.#names.clear();
  }
}
