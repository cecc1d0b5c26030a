/** Checkpoint thread: moves the WAL of a SQLite file into it, beside the thread that writes. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointReply, CheckpointRequest } from './checkpoints.ts';

/** Longest wait of a `restart`, during which nobody can write. */
const BUSY_TIMEOUT_MS = 50;

// The store passes the path of the file.
const database = new DatabaseSync(String(workerData), { timeout: BUSY_TIMEOUT_MS });
// The WAL is synced before its pages are moved, and the file after.
database.exec('pragma synchronous = normal');

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'end') {
    database.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage({ pages: checkpoint(request) } satisfies CheckpointReply);
});

/** Returns the pages of the WAL; 0 if there was no checkpoint: a later one tries again. */
function checkpoint(mode: 'passive' | 'restart'): number {
  try {
    return Number(database.prepare(`pragma wal_checkpoint(${mode})`).get()?.['log']);
  } catch {
    // The disk is full, or another process holds the file.
    return 0;
  }
}
