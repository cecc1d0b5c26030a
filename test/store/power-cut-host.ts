/**
 * A process that writes to a store until it is killed, and reports what was acknowledged and read.
 *
 * Each sync takes longer, and its end notes how much of the WAL is on disk. `early` answers a sync
 * before its end, as a store would that acknowledges too early.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';
import { sql } from 'kysely';

const [, , path = '', mode] = process.argv;
const SYNC_MS = 20;
const WRITERS = 8;

const { fdatasync } = fs;
const note = fs.openSync(`${path}-synced`, 'a');
const slowSync = (file: number, callback: fs.NoParamCallback): void => {
  const { size } = fs.fstatSync(file);
  if (mode === 'early') setImmediate(callback, null);
  setTimeout(() => {
    fdatasync(file, (error) => {
      fs.writeSync(note, `${size}\n`);
      if (mode !== 'early') callback(error);
    });
  }, SYNC_MS);
};
Object.assign(fs, { fdatasync: slowSync });
// A checkpoint would write pages from the start of the WAL again, which its size does not show.
Object.assign(workerThreads, { Worker: undefined });
syncBuiltinESMExports();

const { openStore } = await import('../../packages/store/src/open-store.ts');
const store = await openStore({ url: path });
await sql`pragma wal_autocheckpoint = 0`.execute(store.db);

function report(kind: 'acknowledged' | 'read', id: string): void {
  fs.writeSync(1, `${kind} ${id}\n`);
}

async function write(): Promise<never> {
  for (;;) {
    const id = crypto.randomUUID();
    await store.transaction(async ({ db }) => sql`insert into marks values (${id})`.execute(db));
    report('acknowledged', id);
  }
}

async function read(): Promise<never> {
  for (;;) {
    const latest = sql<{ id: string }>`select id from marks order by rowid desc limit 1`;
    const { rows } = await store.view((db) => latest.execute(db));
    for (const { id } of rows) report('read', id);
    await new Promise(setImmediate);
  }
}

await Promise.all([...Array.from({ length: WRITERS }, write), read()]);
