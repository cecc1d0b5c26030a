/** Owns the connections to a Postgres server: strings pass through their stored form, errors become typed, a lost one crashes nobody. */
import type { PostgresPool as KyselyPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Pool, types, type ClientConfig, type PoolClient } from 'pg';
import type { StoreError } from '../../errors/store-error.ts';
import { closedError } from '../own-errors.ts';
import type { StoreWarning } from '../store.ts';
import { fromStoredRow, toStoredParameters } from '../stored-text.ts';
import type { TransactionGuard } from '../transaction-guard.ts';
import { toPostgresStoreError } from './postgres-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;
const MAX_CONNECTIONS = 10;
/** `int8`; the store's own stay within 2^53. */
const INT8 = 20;

/** What every connection to the server is opened with. */
export const CLIENT_OPTIONS: ClientConfig = {
  application_name: 'truecast',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  keepAlive: true,
  types: {
    getTypeParser: (type: number, format?: 'text' | 'binary'): unknown =>
      type === INT8 && format !== 'binary' ? Number : types.getTypeParser(type, format),
  },
};

/** Session settings: where our tables are; that a commit is on the disk; that a process that stands still amid a transaction holds its locks only so long: no transaction waits for anything but the database. */
const SETTINGS = `select set_config('search_path', 'truecast', false),
  set_config('idle_in_transaction_session_timeout', '10s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;

/** Makes the pool behind Kysely. */
export function createPostgresPool(
  url: string,
  guard: TransactionGuard,
  warn: (warning: StoreWarning) => void,
): KyselyPool {
  const pool = new Pool({ ...CLIENT_OPTIONS, connectionString: url, max: MAX_CONNECTIONS });
  // An idle connection that ends is replaced by the pool; without a listener it would end the process.
  pool.on('error', (cause) =>
    warn({ message: 'A connection to Postgres was lost while it was idle', cause }),
  );
  // One that ends while it is lent tells it here and to the query under way: the query says it.
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

/** Wraps a client so that nothing gets past the stored form of strings. */
function storedClient(client: PoolClient): PostgresPoolClient {
  // What ended the connection, for what is asked of it afterwards, such as a rollback.
  let lost: StoreError | undefined;
  const query = async <R>(sql: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>> => {
    try {
      const answer = await client.query<Record<string, unknown>>(sql, toStoredParameters(parameters));
      // Several statements in one text have as many results, which the types of `pg` do not say.
      const results = [answer].flat();
      const rows = results.flatMap((result) => result.rows.map(fromStoredRow));
      // Kysely's types say what the rows of the query are, and know the commands that it can send.
      return { ...results.at(-1), rows } as PostgresQueryResult<R>;
    } catch (error) {
      const typed = toPostgresStoreError(error, `Postgres refused \`${sql.slice(0, 120)}\``);
      if (typed.code === 'connection-lost') lost ??= typed;
      throw lost ?? typed;
    }
  };
  // A text of several statements that failed in the middle leaves a transaction behind that nobody would end.
  const release = (destroy?: boolean): void =>
    client.release(destroy === true || client.getTransactionStatus() !== 'I');
  // Streaming takes a cursor, which the dialect is not given.
  return { query: query as PostgresPoolClient['query'], release };
}
