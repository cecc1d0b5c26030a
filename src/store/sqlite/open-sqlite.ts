/** Owns opening a SQLite file so that what is committed is on the disk. */
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '../../errors/store-error.ts';
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
  prepareFile(path);
  let database: DatabaseSync | undefined;
  try {
    const opened = new DatabaseSync(path);
    database = opened;
    for (const pragma of PRAGMAS) await whenFree(() => opened.exec(pragma));
    return opened;
  } catch (error) {
    database?.close();
    throw toSqliteStoreError(error, `Could not open the database file \`${path}\``);
  }
}

/**
 * Opens the file once more, for reading alone; undefined in memory, where another connection would have a database of its own.
 *
 * In the mode that the first connection set, a reader neither waits for a writer nor makes one wait.
 *
 * @throws StoreError `cannot-open`, `busy`
 */
export function openSqliteReader(path: string): DatabaseSync | undefined {
  if (path === ':memory:') return undefined;
  try {
    return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw toSqliteStoreError(error, `Could not open the database file \`${path}\``);
  }
}

/** Makes the file and its folder when missing, for this user alone: chats and prompts are nobody else's business. */
function prepareFile(path: string): void {
  if (path === ':memory:') return;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    // SQLite gives its other files the rights of this one.
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw new StoreError(
      `Could not open the database file \`${path}\`: ${cause instanceof Error ? cause.message : String(cause)}. Check that its folder can be written.`,
      { code: 'cannot-open', cause },
    );
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
