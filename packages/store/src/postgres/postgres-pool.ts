/** Postgres connection pool: encodes strings, types errors, and survives lost connections. */
import type { PostgresPool as KyselyPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Pool, types, type ClientConfig, type PoolClient } from 'pg';
import type { StoreError } from '@truecast/core/internal/errors/store-error';
import { closedError } from '../database/own-errors.ts';
import type { StoreWarning } from '../database/store.ts';
import { fromStoredRow, toStoredParameters } from '../database/stored-text.ts';
import type { TransactionGuard } from '../database/transaction-guard.ts';
import { toPostgresStoreError } from './postgres-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 10;
/** `int8`. The store's own values stay within 2^53. */
const INT8 = 20;

/** Connection settings of every connection. */
export const CLIENT_OPTIONS: ClientConfig = {
  application_name: 'truecast',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  types: {
    getTypeParser: (type: number, format?: 'text' | 'binary'): unknown =>
      type === INT8 && format !== 'binary' ? Number : types.getTypeParser(type, format),
  },
};

/**
 * Session settings: the schema, synchronous commits, and a limit on idle time in a transaction,
 * because no transaction waits for anything but the database.
 */
const SETTINGS = `select set_config('search_path', 'truecast', false),
  set_config('idle_in_transaction_session_timeout', '10s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;

/** Creates the pool for Kysely. */
export function createPostgresPool(
  url: string,
  guard: TransactionGuard,
  warn: (warning: StoreWarning) => void,
): KyselyPool {
  const pool = new Pool({ ...CLIENT_OPTIONS, connectionString: url, max: MAX_CONNECTIONS });
  // The pool replaces an idle connection that ends. Without a listener its error would end the
  // process.
  pool.on('error', (cause) =>
    warn({ message: 'A connection to Postgres was lost while it was idle', cause }),
  );
  // A checked-out connection that ends reports here and to its running query. The query reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const clients = new WeakMap<PoolClient, PostgresPoolClient>();
  let isClosed = false;
  return {
    options: pool.options,
    end: async () => {
      isClosed = true;
      await pool.end();
    },
    connect: async () => {
      guard.refuseInside();
      if (isClosed) throw closedError();
      const client = await connect(pool);
      const known = clients.get(client) ?? (await prepareClient(client));
      clients.set(client, known);
      return known;
    },
  };
}

async function connect(pool: Pool): Promise<PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw toPostgresStoreError(error, 'Could not connect to Postgres');
  }
}

async function prepareClient(client: PoolClient): Promise<PostgresPoolClient> {
  try {
    await client.query(SETTINGS);
  } catch (error) {
    client.release(true);
    throw toPostgresStoreError(error, 'Could not set up a connection to Postgres');
  }
  return storedClient(client);
}

/** Wraps a client so that all strings are encoded and decoded. */
function storedClient(client: PoolClient): PostgresPoolClient {
  // The error that ended the connection, for later calls such as a rollback.
  let lost: StoreError | undefined;
  const query = async <R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      const answer = await client.query<Record<string, unknown>>(sql, toStoredParameters(parameters));
      // A string of several statements returns several results, which the types of `pg` omit.
      const results = [answer].flat();
      const rows = results.flatMap((result) => result.rows.map(fromStoredRow));
      // Kysely's types define the rows of the query and the possible commands.
      return { ...results.at(-1), rows } as PostgresQueryResult<R>;
    } catch (error) {
      const typed = toPostgresStoreError(error, `Postgres refused \`${sql.slice(0, 120)}\``);
      if (typed.code === 'connection-lost') lost ??= typed;
      throw lost ?? typed;
    }
  };
  // A string of several statements that fails midway leaves an open transaction that no caller
  // would end.
  const release = (destroy?: boolean): void =>
    client.release(destroy === true || client.getTransactionStatus() !== 'I');
  // Streaming needs a cursor, which the dialect does not have.
  return { query: query as PostgresPoolClient['query'], release };
}
