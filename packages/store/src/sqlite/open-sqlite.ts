/** Opens a SQLite file with durable commits. */
import { closeSync, existsSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { fillFromImage } from './memory-image.ts';
import { isSqliteBusy, toSqliteStoreError } from './sqlite-error.ts';

// An import of a module that an old Node lacks would fail before the package can say so.
const sqlite = process.getBuiltinModule('node:sqlite');

/** Path of a database in memory. */
export const MEMORY = ':memory:';

/** Busy timeout of one call. It blocks the event loop. */
const BUSY_TIMEOUT_MS = 250;
/** Total wait for another process, between calls. */
const MAX_WAIT_MS = 15_000;
const MAX_PAUSE_MS = 50;

/**
 * True if the store itself syncs its commits. Not on Windows, which does not allow two programs to
 * share a WAL.
 */
export const SYNCS_COMMITS: boolean = process.platform !== 'win32';

const PRAGMAS = [
  `pragma busy_timeout = ${BUSY_TIMEOUT_MS}`,
  'pragma journal_mode = wal',
  // In WAL mode, `normal` differs from `full` only by the sync after each commit.
  `pragma synchronous = ${SYNCS_COMMITS ? 'normal' : 'full'}`,
  'pragma foreign_keys = on',
  // Deleted text is overwritten with zeros, so that it cannot be read from the file.
  'pragma secure_delete = on',
];

/**
 * Opens the file. Creates it if needed, in an existing folder.
 *
 * @throws StoreError `cannot-open`, `busy`
 */
export async function openSqlite(path: string): Promise<DatabaseSync> {
  const place = prepareFile(path);
  let database: DatabaseSync | undefined;
  try {
    const opened = new sqlite.DatabaseSync(place);
    database = opened;
    if (place === MEMORY) fillFromImage(opened);
    for (const pragma of PRAGMAS) await whenFree(() => opened.exec(pragma));
    return opened;
  } catch (error) {
    database?.close();
    throw toSqliteStoreError(error, `Could not open the database file \`${path}\``);
  }
}

/**
 * Opens the file a second time, read-only. Returns undefined for a memory database, where each
 * connection has its own data.
 *
 * In WAL mode readers and writers do not wait for each other.
 *
 * @throws StoreError `cannot-open`, `busy`
 */
export function openSqliteReader(path: string): DatabaseSync | undefined {
  if (path === MEMORY) return undefined;
  try {
    return new sqlite.DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  } catch (error) {
    throw toSqliteStoreError(error, `Could not open the database file \`${path}\``);
  }
}

/**
 * Creates the file with access for this user only, because chats and prompts are private. Its folder
 * must exist: a mistyped path would else become a new, empty database. Returns the file's path without
 * links.
 */
function prepareFile(path: string): string {
  if (path === MEMORY) return path;
  const named = dirname(resolve(path));
  if (!existsSync(named)) {
    throw cannotOpen(path, `the folder \`${named}\` does not exist. Create it, or correct the path.`);
  }
  try {
    const { path: place } = trustedPath(path, { option: 'the database file' });
    const folder = dirname(place);
    // An empty folder was made for the database. It can be in a checkout, where `git add -A` would
    // add the chats.
    if (folder !== process.cwd() && readdirSync(folder).length === 0) {
      writeFileSync(join(folder, '.gitignore'), '*\n', { flag: 'wx' });
    }
    // SQLite copies this file's permissions to its other files.
    closeSync(openSync(place, 'a', 0o600));
    return place;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw cannotOpen(path, `${reason}. Check that its folder can be written.`, cause);
  }
}

function cannotOpen(path: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`Could not open the database file \`${path}\`: ${reason}`, {
    code: 'cannot-open',
    cause,
  });
}

/** Retries `work` while another process holds the file. Failed work must have no effect. */
export async function whenFree<T>(work: () => T): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isSqliteBusy(error) || performance.now() - startedMs > MAX_WAIT_MS) throw error;
      // Jitter, so that two waiting processes do not retry at the same time.
      await sleep(Math.random() * MAX_PAUSE_MS);
    }
  }
}
