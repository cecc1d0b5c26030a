/** Postgres implementation of the store's database. */
import { PostgresDialect, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import { encodeNotice, type Listeners } from '../database/listeners.ts';
import type { StoreWarning } from '../database/store.ts';
import { UNAWAITED } from '../database/unawaited.ts';
import type { TransactionGuard } from '../database/transaction-guard.ts';
import { POSTGRES_CHANNEL, PostgresListener } from './postgres-listener.ts';
import { createPostgresPool } from './postgres-pool.ts';

/** Ports and limits of the database. */
export interface PostgresSettings {
  readonly guard: TransactionGuard;
  readonly listeners: Listeners;
  readonly warn: (warning: StoreWarning) => void;
  readonly maxConnections: number;
}

/** Prepares for the server at `url`. Connects on first use. */
export function openPostgresDatabase(url: string, settings: PostgresSettings): Database {
  const { listeners, warn } = settings;
  const pool = createPostgresPool(url, settings);
  const listener = new PostgresListener(url, listeners, warn);
  return {
    dialect: 'postgres',
    kysely: new PostgresDialect({ pool }),
    notifications: {
      subscribe: (channel, hear) => listeners.add(channel, hear),
      publish: async (channel, payload) => {
        const notice = encodeNotice(channel, payload);
        const client = await pool.connect();
        try {
          await client.query('select pg_notify($1, $2)', [POSTGRES_CHANNEL, notice]);
        } finally {
          client.release();
        }
      },
    },
    notify: async ({ db }, channel, payload) => {
      const notice = encodeNotice(channel, payload);
      await sql`select pg_notify(${POSTGRES_CHANNEL}, ${notice}) ${sql.raw(UNAWAITED)}`.execute(db);
    },
    ready: () => listener.open(),
    close: async () => {
      await listener.close();
      await pool.end();
    },
  };
}
