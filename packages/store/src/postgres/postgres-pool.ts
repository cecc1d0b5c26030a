/** Postgres connection pool: sets up connections, and survives lost ones. */
import type { PostgresPool as KyselyPool, PostgresPoolClient } from 'kysely';
import { Pool, types, type ClientConfig, type PoolClient } from 'pg';
import { closedError } from '../database/own-errors.ts';
import type { StoreWarning } from '../database/store.ts';
import type { TransactionGuard } from '../database/transaction-guard.ts';
import { storedClient } from './postgres-client.ts';
import { toPostgresStoreError } from './postgres-error.ts';

const CONNECT_TIMEOUT_MS = 5_000;
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
 * because transactions wait only for the database.
 */
const SETTINGS = `select set_config('search_path', 'truecast', false),
  set_config('idle_in_transaction_session_timeout', '10s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'off' then 'on' else current_setting('synchronous_commit') end, false)`;

interface PoolSettings {
  readonly guard: TransactionGuard;
  readonly warn: (warning: StoreWarning) => void;
  readonly maxConnections: number;
}

export function createPostgresPool(url: string, { guard, warn, maxConnections }: PoolSettings): KyselyPool {
  const pool = new Pool({
    ...CLIENT_OPTIONS,
    connectionString: url,
    max: maxConnections,
    // Sends statements before earlier ones are answered.
    pipeline: true,
  });
  // The pool replaces an idle connection that ends. Without a listener its error would end the
  // process.
  pool.on('error', (cause) =>
    warn({ message: 'A connection to Postgres was lost while it was idle', cause }),
  );
  // The end of a checked-out connection is ignored here, because its running query reports it.
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
