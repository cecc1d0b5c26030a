/** Opens a store: resolves its URL, checks the format of the database, and closes it. */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { join } from 'node:path';
import { Kysely } from 'kysely';
import { loadPackage } from '@truecast/core/internal/errors/load-package';
import { ensureStateFolder, stateFolderOf } from '@truecast/host/internal/state-folder';
import { emitWarning } from './database/emit-warning.ts';
import { Listeners } from './database/listeners.ts';
import { createTables } from './format/create-tables.ts';
import { ensureFormat } from './format/store-format.ts';
import type { Database } from './database/database.ts';
import { runTransaction } from './run-transaction.ts';
import { openSqliteDatabase } from './sqlite/sqlite-database.ts';
import type { Store, StoreWarning } from './database/store.ts';
import type { Tables } from './tables/tables.ts';
import { TransactionGuard } from './database/transaction-guard.ts';
import { describeValue } from '@truecast/core/internal/kit/describe-value';

const DEFAULT_CONNECTIONS = 10;
/** A transaction holds one connection, and reads outside of it need another. */
const MIN_CONNECTIONS = 2;

/** Options of `openStore`. */
export interface StoreOptions {
  /**
   * A file's path, `sqlite:PATH`, `:memory:` or `postgres://…`.
   *
   * @default `truecast.sqlite` in the state folder of the working directory's repository
   */
  readonly url?: string;
  /** Maximum number of connections to Postgres. SQLite has a fixed number. @default 10 */
  readonly maxConnections?: number;
  /**
   * Called for faults outside any call, such as a lost idle connection.
   *
   * @default process.emitWarning
   */
  readonly onWarning?: (warning: StoreWarning) => void;
}

/**
 * Opens a store, and creates the tables of an empty database.
 *
 * Any number of processes can open the same store at once.
 *
 * @throws UsageError if `url` is not a database URL; `no-state-folder` if the default cannot be created;
 *   `missing-package` for Postgres without `pg`
 * @throws StoreError `cannot-open`, `connection-lost`, `newer-database`, `older-database`, `busy`
 * @example
 * ```ts
 * const store = await openStore({ url: ':memory:' });
 * console.log(store.dialect); // sqlite
 * await store.close();
 * ```
 */
export async function openStore(options: StoreOptions = {}): Promise<Store> {
  assertKind(options, 'an object', 'options', 'Pass `{ url }`, or leave it out.');
  const place = parseStoreUrl(options.url ?? defaultStorePath());
  const warn = options.onWarning ?? emitWarning;
  const guard = new TransactionGuard();
  const database = await openDatabase(place, { guard, warn, maxConnections: maxConnectionsOf(options) });
  const db = new Kysely<Tables>({ dialect: database.kysely });
  try {
    await ensureFormat(db, { dialect: database.dialect, createTables });
    await database.ready();
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

/**
 * Returns the location of the store at a URL for messages, without its password.
 *
 * @throws UsageError if `url` is not a database URL
 * @example
 * ```ts
 * console.log(describeStorePlace('postgres://me:secret@db.internal/chats'));
 * ```
 */
export function describeStorePlace(url?: string): string {
  const place = parseStoreUrl(url ?? defaultStorePath());
  return place.dialect === 'postgres' ? place.shown : place.path;
}

/**
 * The path is outside of every checkout, so that no repository can provide a database and no guest
 * can write to it.
 */
function defaultStorePath(): string {
  return join(ensureStateFolder(stateFolderOf(process.cwd())), 'truecast.sqlite');
}

function maxConnectionsOf({ maxConnections = DEFAULT_CONNECTIONS }: StoreOptions): number {
  if (Number.isInteger(maxConnections) && maxConnections >= MIN_CONNECTIONS) return maxConnections;
  throw new UsageError(
    `Expected \`maxConnections\` to be a whole number of ${MIN_CONNECTIONS} or more, got \`${maxConnections}\`.`,
  );
}

interface DatabaseSettings {
  readonly guard: TransactionGuard;
  readonly warn: (warning: StoreWarning) => void;
  readonly maxConnections: number;
}

async function openDatabase(
  place: StorePlace,
  { guard, warn, maxConnections }: DatabaseSettings,
): Promise<Database> {
  const listeners = new Listeners(warn);
  if (place.dialect === 'sqlite') return openSqliteDatabase(place.path, guard, listeners);
  const { openPostgresDatabase } = await loadPackage(
    ['pg', 'pg-boss'],
    () => import('./postgres/postgres-database.ts'),
  );
  return openPostgresDatabase(place.url, { guard, listeners, warn, maxConnections });
}

/** Reads in one snapshot. See `Store.view`. */
function readView<T>(
  db: Kysely<Tables>,
  guard: TransactionGuard,
  read: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((view) => guard.within(() => read(view)));
}

/** A parsed store URL. */
type StorePlace =
  | { readonly dialect: 'sqlite'; readonly path: string }
  | { readonly dialect: 'postgres'; readonly url: string; readonly shown: string };

/**
 * Parses a store URL.
 *
 * @throws UsageError
 */
function parseStoreUrl(url: string): StorePlace {
  assertKind(url, 'a string', 'url', "Pass a file's path, `:memory:` or `postgres://…`.");
  if (/^postgres(?:ql)?:\/\//u.test(url)) return { dialect: 'postgres', url, shown: showPostgres(url) };
  const path = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : url;
  // A single letter and a colon is a Windows drive.
  const isPath = path !== '' && !path.includes('\0') && !/^[a-z][a-z\d+.-]+:/iu.test(path);
  if (isPath || path === ':memory:') return { dialect: 'sqlite', path };
  throw new UsageError(
    `Expected the database's \`url\` to be a file's path, \`sqlite:PATH\`, \`:memory:\` or \`postgres://…\`, got ${describeValue(/:\/\//u.test(url) ? `${url.split('://')[0]}://…` : url)}. Pass one of these.`,
  );
}

/** Renders a server URL without its password. */
function showPostgres(url: string): string {
  if (!URL.canParse(url)) {
    throw new UsageError(
      "Expected the database's `url` to be like `postgres://user:password@host:5432/name`, got one that is not a URL. Encode special characters of the password with percent signs.",
    );
  }
  const { username, host, pathname } = new URL(url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
}
