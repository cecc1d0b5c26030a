/** Group sync on SQLite: commits share syncs, and nothing is acknowledged or shown before its sync. */
import fs from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { describeUnless, windowsSyncs } from '../needs.ts';

const folder = await mkdtemp(join(tmpdir(), 'truecast-group-sync-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const { fdatasync } = fs;
/** Syncs that began and wait to be finished. */
let held: ((error?: NodeJS.ErrnoException) => void)[];
let syncs: number;
let isHeld: boolean;
let store: Store;
let other: Store;

beforeEach(async () => {
  [held, syncs, isHeld] = [[], 0, false];
  const counted = (file: number, callback: fs.NoParamCallback): void => {
    syncs += 1;
    if (isHeld) held.push((error) => (error === undefined ? fdatasync(file, callback) : callback(error)));
    else fdatasync(file, callback);
  };
  Object.assign(fs, { fdatasync: counted });
  syncBuiltinESMExports();
  const url = join(folder, `${crypto.randomUUID()}.sqlite`);
  store = await openStore({ url });
  other = await openStore({ url });
  await sql`create table marks (id text primary key)`.execute(store.db);
  await latest(other);
  syncs = 0;
});
afterEach(async () => {
  Object.assign(fs, { fdatasync });
  syncBuiltinESMExports();
  await Promise.all([store.close(), other.close()]);
});

const mark = (id: string): Promise<unknown> =>
  store.transaction(async ({ db }) => sql`insert into marks values (${id})`.execute(db));

async function latest({ view }: Store): Promise<string | undefined> {
  const query = sql<{ id: string }>`select id from marks order by rowid desc limit 1`;
  return (await view((db) => query.execute(db))).rows[0]?.id;
}

/** Runs everything that waits for no sync. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

describeUnless(windowsSyncs, 'a SQLite store', () => {
  it('syncs commits that wait at the same time once', async () => {
    isHeld = true;
    const first = mark('first');
    await settle();
    const others = Promise.all(Array.from({ length: 16 }, (_, at) => mark(`other ${at}`)));
    await settle();
    isHeld = false;
    held.shift()?.();
    await Promise.all([first, others]);
    expect(syncs).toBe(2);
  });

  it('syncs the commits of one turn of the event loop once', async () => {
    await Promise.all(Array.from({ length: 16 }, (_, at) => mark(`mark ${at}`)));
    expect(syncs).toBe(1);
  });

  it('lets the event loop do other work between many commits', async () => {
    const counts: number[] = [];
    let commits = 0;
    const all = Promise.all(
      Array.from({ length: 64 }, (_, at) =>
        store.transaction(async ({ db }) => {
          await sql`insert into marks values (${`many ${at}`})`.execute(db);
          commits += 1;
        }),
      ),
    );
    while (commits < 64) {
      await new Promise(setImmediate);
      counts.push(commits);
    }
    await all;
    const largest = Math.max(...counts.map((count, at) => count - (counts[at - 1] ?? 0)));
    expect(largest).toBeLessThanOrEqual(8);
  });

  it('shows no row before its sync, in any process', async () => {
    isHeld = true;
    const done: string[] = [];
    const commit = mark('new').then(() => done.push('commit'));
    await settle();
    const reads = [store, other].map(async (each) => done.push(`read ${await latest(each)}`));
    await settle();
    expect(done).toEqual([]);
    isHeld = false;
    for (const finish of held) finish();
    await Promise.all([commit, ...reads]);
    expect(done.toSorted()).toEqual(['commit', 'read new', 'read new']);
  });

  it('does not sync for reads of rows that are on disk', async () => {
    await mark('old');
    await latest(store);
    await latest(other);
    syncs = 0;
    expect([await latest(store), await latest(other)]).toEqual(['old', 'old']);
    expect(syncs).toBe(0);
  });

  it('acknowledges nothing after a failed sync', async () => {
    isHeld = true;
    const commit = expect(mark('lost')).rejects.toMatchObject({ code: 'commit-unknown' });
    await settle();
    const read = expect(latest(store)).rejects.toMatchObject({ code: 'write-failed' });
    await settle();
    isHeld = false;
    held.shift()?.(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    await Promise.all([commit, read]);
    await expect(mark('later')).rejects.toMatchObject({ code: 'commit-unknown' });
    await expect(latest(store)).rejects.toMatchObject({ code: 'write-failed' });
  });
});
