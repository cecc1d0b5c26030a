/**
 * Power cuts: a process is killed, and its WAL is cut back to what was on disk. What it
 * acknowledged or showed is still there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { openStore } from '../../packages/store/src/open-store.ts';

const HOST = await bundledHost(new URL('power-cut-host.ts', import.meta.url));
const LIVES = 3;
/** A kill can fall between two syncs, when nothing is left to cut. Then further lives follow. */
const MAX_LIVES = 12;
/** Acknowledged commits before each cut: several syncs. */
const COMMITS = 60;

interface Cuts {
  /** Ids that were acknowledged or read, and are gone. */
  readonly lost: readonly string[];
  readonly acknowledged: number;
  readonly cutBytes: number;
}

/** Lets a process write, kills it and cuts the power, a few times. */
async function cutPower(mode: 'late' | 'early'): Promise<Cuts> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-power-cut-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, `${mode}.sqlite`);
  await createMarks(path);
  const seen = new Set<string>();
  let [acknowledged, cutBytes] = [0, 0];
  for (let life = 0; life < LIVES || (cutBytes === 0 && life < MAX_LIVES); life += 1) {
    const host = spawn(process.execPath, [HOST, path, mode], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const gone = once(host, 'exit');
    let here = 0;
    for await (const line of createInterface({ input: host.stdout })) {
      const [kind, id = ''] = line.split(' ');
      seen.add(id);
      if (kind === 'acknowledged') here += 1;
      if (here >= COMMITS) host.kill('SIGKILL');
    }
    await gone;
    acknowledged += here;
    cutBytes += await cut(path);
  }
  const store = await openStore({ url: path });
  const { rows } = await sql<{ id: string }>`select id from marks`.execute(store.db);
  await store.close();
  const kept = new Set(rows.map(({ id }) => id));
  return { lost: [...seen].filter((id) => !kept.has(id)), acknowledged, cutBytes };
}

/** Creates the table in the file itself: no cut removes it. */
async function createMarks(path: string): Promise<void> {
  const store = await openStore({ url: path });
  await sql`create table marks (id text primary key)`.execute(store.db);
  await store.close();
}

/** Removes what no finished sync covers. Returns its size. */
async function cut(path: string): Promise<number> {
  const notes = (await readFile(`${path}-synced`, 'utf8')).trimEnd().split('\n');
  const { size } = await stat(`${path}-wal`);
  const synced = Math.min(size, Number(notes.at(-1)));
  await truncate(`${path}-wal`, synced);
  await rm(`${path}-shm`, { force: true });
  return size - synced;
}

it('keep every acknowledged commit, and every row that was read', async () => {
  const { lost, acknowledged, cutBytes } = await cutPower('late');
  expect(lost).toEqual([]);
  expect(acknowledged).toBeGreaterThanOrEqual(LIVES * COMMITS);
  expect(cutBytes).toBeGreaterThan(0);
});

it('lose commits of a store that acknowledges before its sync', async () => {
  const { lost } = await cutPower('early');
  expect(lost.length).toBeGreaterThan(0);
});
