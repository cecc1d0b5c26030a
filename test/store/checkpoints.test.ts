/** Checkpoints on SQLite: a thread moves the WAL into the file, and no commit does. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { Checkpoints, LATE_CHECKPOINT_PAGES } from '../../packages/store/src/sqlite/checkpoints.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { describeUnless, windowsSyncs } from '../needs.ts';

const folder = await mkdtemp(join(tmpdir(), 'truecast-checkpoints-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const PAGE_BYTES = 4_096;
/** A thread starts late on a busy machine. */
const SOON = { timeout: 120_000 };
const newPath = (): string => join(folder, `${crypto.randomUUID()}.sqlite`);

/** A file with a WAL, and a lane that notes when it is taken. */
function written(path: string): { readonly insert: () => void; readonly close: () => void } {
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table marks (text)');
  const statement = database.prepare('insert into marks values (?)');
  return { insert: () => void statement.run('x'.repeat(10 * PAGE_BYTES)), close: () => database.close() };
}

interface NotedLane {
  readonly take: () => Promise<never>;
  readonly giveBack: () => void;
}

function notedLane(notes: string[]): NotedLane {
  return {
    // The connection of the lane is not used.
    take: async () => void notes.push('taken') as never,
    giveBack: () => void notes.push('given back'),
  };
}

const sizeOf = async (path: string): Promise<number> => (await stat(path)).size;

describeUnless(windowsSyncs, 'a SQLite store', () => {
  it('leaves its checkpoints to the thread', async () => {
    const path = newPath();
    const store = await openStore({ url: path });
    const { rows } = await sql`pragma wal_autocheckpoint`.execute(store.db);
    expect(rows).toEqual([{ wal_autocheckpoint: LATE_CHECKPOINT_PAGES }]);
    await sql`create table marks (text)`.execute(store.db);
    const before = await sizeOf(path);
    // A commit of 5 MB is more than the WAL may grow.
    await sql`insert into marks values (${'x'.repeat(5_000_000)})`.execute(store.db);
    await vi.waitFor(async () => expect(await sizeOf(path)).toBeGreaterThan(before + 5_000_000), SOON);
    await store.close();
  });
});

describe('checkpoints on a thread', () => {
  it('wait for nobody while the WAL is small', async () => {
    const path = newPath();
    const file = written(path);
    const notes: string[] = [];
    const checkpoints = new Checkpoints(path, notedLane(notes), {
      commits: 2,
      bytes: 1e9,
      restartPages: 1_000,
    });
    const before = await sizeOf(path);
    file.insert();
    checkpoints.synced(1, 0);
    file.insert();
    checkpoints.synced(2, 0);
    await vi.waitFor(async () => expect(await sizeOf(path)).toBeGreaterThan(before + 10 * PAGE_BYTES), SOON);
    await checkpoints.close();
    file.close();
    expect(notes).toEqual([]);
  });

  it('let a large WAL begin anew while no other transaction runs', async () => {
    const path = newPath();
    const file = written(path);
    const notes: string[] = [];
    const checkpoints = new Checkpoints(path, notedLane(notes), { commits: 1, bytes: 1e9, restartPages: 10 });
    file.insert();
    file.insert();
    const large = await sizeOf(`${path}-wal`);
    checkpoints.synced(2, large);
    await vi.waitFor(() => expect(notes).toEqual(['taken', 'given back']), SOON);
    file.insert();
    // Written from the start of the WAL again.
    expect(await sizeOf(`${path}-wal`)).toBe(large);
    await checkpoints.close();
    file.close();
  });

  it('stop without an error when the file cannot be opened', async () => {
    const notes: string[] = [];
    const lane = notedLane(notes);
    const checkpoints = new Checkpoints(folder, lane, { commits: 1, bytes: 1, restartPages: 0 });
    checkpoints.synced(1, 1);
    await checkpoints.close();
    checkpoints.synced(9, 9);
    expect(notes).toEqual([]);
  });
});
