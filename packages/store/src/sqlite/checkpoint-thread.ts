/**
 * Checkpoint thread: moves the WAL of a SQLite file into the database file, on a separate thread.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointReply, CheckpointRequest } from './checkpoints.ts';

/** Maximum wait of a `restart`, during which no connection can write. */
const BUSY_TIMEOUT_MS = 50;

// The store passes the path of the file.
const database = new DatabaseSync(String(workerData), { timeout: BUSY_TIMEOUT_MS });
// With `normal`, the WAL is synced before its pages are moved, and the file afterwards.
database.exec('pragma synchronous = normal');

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ pages: checkpoint(request) } satisfies CheckpointReply);
});

/**
 * Returns the number of pages in the WAL. Returns 0 without a checkpoint, which a later call
 * retries.
 */
function checkpoint(mode: 'passive' | 'restart'): number {
  try {
    return Number(database.prepare(`pragma wal_checkpoint(${mode})`).get()?.['log']);
  } catch {
    // The disk is full, or another process holds the file.
    return 0;
  }
}
