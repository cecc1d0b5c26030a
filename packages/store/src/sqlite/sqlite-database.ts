/** SQLite implementation of the store's database. Notifications stay in the process. */
import type { DatabaseSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { encodeNotice, type Listeners } from '../database/listeners.ts';
import type { TransactionGuard } from '../database/transaction-guard.ts';
import { Checkpoints, LATE_CHECKPOINT_PAGES } from './checkpoints.ts';
import { MEMORY, openSqlite, openSqliteReader, SYNCS_COMMITS } from './open-sqlite.ts';
import { closedError } from '../database/own-errors.ts';
import { keepMemoryImage } from './memory-image.ts';
import { SqliteDriver, sqliteDialect, type SqliteLanes } from './sqlite-dialect.ts';
import { SqliteLane } from './sqlite-lane.ts';
import { WalSync } from './wal-sync.ts';

/**
 * Opens the file at `path`.
 *
 * @throws StoreError `cannot-open`, `busy`
 */
export async function openSqliteDatabase(
  path: string,
  guard: TransactionGuard,
  listeners: Listeners,
): Promise<Database> {
  const database = await openSqlite(path);
  const driver = new SqliteDriver(openLanes(path, database), guard);
  // Never synchronous, because on Postgres a notification arrives later too.
  const tellSoon = (channel: string, payload: string): void =>
    guard.outside(() => queueMicrotask(() => listeners.tell(channel, payload)));
  return {
    dialect: 'sqlite',
    kysely: sqliteDialect(driver),
    notifications: {
      subscribe: (channel, listener) => listeners.add(channel, listener),
      publish: async (channel, payload) => {
        encodeNotice(channel, payload);
        if (driver.isClosed) throw closedError();
        tellSoon(channel, payload);
      },
    },
    notify: async (tx, channel, payload) => {
      encodeNotice(channel, payload);
      tx.afterCommit(() => tellSoon(channel, payload));
    },
    ready: async () => {
      if (path === MEMORY) keepMemoryImage(database);
    },
    close: () => driver.close(),
  };
}

function openLanes(path: string, database: DatabaseSync): SqliteLanes {
  try {
    const reader = openSqliteReader(path);
    if (reader === undefined || !SYNCS_COMMITS) return unsynced(database, reader);
    database.exec(`pragma wal_autocheckpoint = ${LATE_CHECKPOINT_PAGES}`);
    const writer = new SqliteLane(database, () => sync.wrote());
    const checkpoints = new Checkpoints(path, writer);
    const sync = new WalSync(path, foreignCommits(database), (commits, bytes) =>
      checkpoints.synced(commits, bytes),
    );
    return { writer, reader: new SqliteLane(reader, () => undefined), sync, checkpoints };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Creates the lanes of a file that SQLite syncs itself, or of a memory database. */
function unsynced(database: DatabaseSync, reader: DatabaseSync | undefined): SqliteLanes {
  const writer = new SqliteLane(database, () => undefined);
  return { writer, reader: reader === undefined ? writer : new SqliteLane(reader, () => undefined) };
}

/** Returns a function that is true if another connection has committed since its last call. */
function foreignCommits(writer: DatabaseSync): () => boolean {
  // Changes with the commits of all other connections (https://sqlite.org/pragma.html).
  const statement = writer.prepare('pragma data_version');
  let known: unknown;
  return () => {
    const version = statement.get()?.['data_version'];
    const hasChanged = version !== known;
    known = version;
    return hasChanged;
  };
}
