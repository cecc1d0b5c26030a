/** Owns opening a SQLite file so that what is committed is on the disk. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isSqliteBusy, toSqliteStoreError } from './sqlite-error.ts';

/** How long one call may stand still for another process, the event loop with it. */
const BUSY_TIMEOUT_MS = 250;
/** How long is waited in all for another process, between calls. */
const MAX_WAIT_MS = 15_000;
const MAX_PAUSE_MS = 50;

const PRAGMAS = [
  `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'pragma journal_mode = wal',
  'pragma synchronous = full',
  'pragma foreign_keys = on',
];

/**
 * Opens the file, and makes it and its folder when missing.
 *
 * @throws StoreError `cannot-open`, `busy`
 */
export async function openSqlite(path: string): Promise<DatabaseSync> {
  let database: DatabaseSync | undefined;
  try {
    // Chats and prompts are nobody else's business.
    if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const opened = new DatabaseSync(path);
    database = opened;
    for (const pragma of PRAGMAS) await whenFree(() => opened.exec(pragma));
    return opened;
  } catch (error) {
    database?.close();
    throw toSqliteStoreError(toOpenError(error), `Could not open the database file \`${path}\``);
  }
}

/** Does `work`, again and again while another process holds the file; the work must not have had an effect then. */
export async function whenFree<T>(work: () => T): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() - startedMs > MAX_WAIT_MS) throw error;
      // Two processes that wait for each other's steps must not keep in step.
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}

/** An error of the file system at opening means the same as SQLite's own. */
function toOpenError(error: unknown): unknown {
  const isOfFileSystem = error instanceof Error && 'syscall' in error;
  return isOfFileSystem ? Object.assign(error, { errcode: 14 }) : error;
}
