/** Owns opening a store: the database found from its address, brought up to date, and closed again. */
import { Kysely } from 'kysely';
import { emitWarning } from './emit-warning.ts';
import { Listeners } from './listeners.ts';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/migrations.ts';
import type { Database } from './database.ts';
import { openPostgresDatabase } from './postgres/postgres-database.ts';
import { readView } from './read-view.ts';
import { runTransaction } from './run-transaction.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';
import type { Store, StoreWarning } from './store.ts';
import { parseStoreUrl, type StorePlace } from './store-url.ts';
import type { Tables } from './tables/tables.ts';
import { TransactionGuard } from './transaction-guard.ts';

/** What a store is opened with. */
export interface StoreOptions {
  /**
   * A file's path, `sqlite:PATH`, `:memory:` or `postgres://…`.
   *
   * @default '.truecast/truecast.sqlite'
   */
  readonly url?: string;
  /**
   * Is told what goes wrong aside of any call, such as a lost idle connection.
   *
   * @default process.emitWarning
   */
  readonly onWarning?: (warning: StoreWarning) => void;
}

/**
 * Opens a store, and makes or updates its tables.
 *
 * Any number of processes may open the same one at once.
 *
 * @throws UsageError when `url` is no address of a database
 * @throws StoreError `cannot-open`, `connection-lost`, `newer-database`, `busy`
 */
export async function openStore(options: StoreOptions = {}): Promise<Store> {
  const place = parseStoreUrl(options.url);
  const warn = options.onWarning ?? emitWarning;
  const guard = new TransactionGuard();
  const database = await openDatabase(place, guard, warn);
  const db = new Kysely<Tables>({ dialect: database.kysely });
  try {
    await migrate(db, { dialect: database.dialect, migrations: MIGRATIONS, now: new Date().toISOString() });
    await database.listen();
  } catch (error) {
    await database.close();
    throw error;
  }
  let closing: Promise<void> | undefined;
  return {
    dialect: database.dialect,
    db,
    notifications: database.notifications,
    transaction: (work) => runTransaction({ db, database, guard, warn }, work),
    view: (read) => readView(db, guard, read),
    close: () => (closing ??= database.close()),
  };
}

async function openDatabase(
  place: StorePlace,
  guard: TransactionGuard,
  warn: (warning: StoreWarning) => void,
): Promise<Database> {
  const listeners = new Listeners(warn);
  if (place.dialect === 'sqlite') return openSqliteDatabase(place.path, guard, listeners);
  return openPostgresDatabase(place.url, guard, listeners, warn);
}
