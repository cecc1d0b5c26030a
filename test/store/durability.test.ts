import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '../../packages/store/src/database/store.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import { bundledHost } from '../bundled-host.ts';
import { describeOnBothStores } from '../describe-on-both-stores.ts';
import { matrixRuns } from '../matrix.ts';
import { postgresIsMissing, startPostgres, type TestPostgres } from '../postgres.ts';
import { describeUnless, missing } from '../needs.ts';

const HOST = await bundledHost(new URL('appending-host.ts', import.meta.url));
const ROUNDS = matrixRuns(3, 6);
const SERVER_KILLS = matrixRuns(2, 3);

describeOnBothStores('an acknowledged row', (fixture) => {
  it('survives a kill of its process at any moment', async () => {
    const url = await fixture.freshUrl();
    const told: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const host = startAppending(url, `${round}`);
      await host.first;
      await sleep(Math.random() * 60);
      host.kill();
      told.push(...(await host.ended));
    }
    expect(told.length).toBeGreaterThan(ROUNDS);
    expect(await missingFrom(await fixture.open(url), told)).toEqual([]);
  });
});

describeUnless(postgresIsMissing, 'a Postgres server with synchronous commits', () => {
  let postgres: TestPostgres | undefined;
  beforeAll(async () => {
    postgres = await startPostgres({ durable: true });
  });
  afterAll(() => postgres?.stop());

  it('writes a commit to the disk before it answers, whatever the default of its database', async () => {
    const url = (await postgres?.createDatabase()) ?? '';
    const store = await openStore({ url });
    await sql`alter database ${sql.ref(new URL(url).pathname.slice(1))} set synchronous_commit = off`.execute(
      store.db,
    );
    await store.close();
    const again = await openStore({ url });
    const { rows } = await sql<{ fsync: string; commit: string }>`select current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit`.execute(again.db);
    expect(rows).toEqual([{ fsync: 'on', commit: 'on' }]);
    await again.close();
  });

  it('has every acknowledged row after a kill, and its clients continue', async () => {
    const url = (await postgres?.createDatabase()) ?? '';
    const host = startAppending(url, 'a');
    for (let round = 0; round < SERVER_KILLS; round += 1) {
      await host.first;
      await sleep(50 + Math.random() * 100);
      await postgres?.restart({ signal: 'SIGKILL', downMs: 200 });
    }
    const before = host.count();
    await expect.poll(() => host.count(), { timeout: 40_000 }).toBeGreaterThan(before);
    host.kill();
    const told = await host.ended;
    const store = await openStore({ url });
    expect(await missingFrom(store, told)).toEqual([]);
    await store.close();
  });
});

describeUnless(missing('strace'), 'a commit on SQLite', () => {
  it('is on the disk before it is acknowledged', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'truecast-strace-'));
    // Stopped only at these calls, not at each.
    const calls = ['-f', '--seccomp-bpf', '-e', 'trace=fsync,fdatasync,write', '-e', 'signal=none'];
    const { stderr } = await promisify(execFile)(
      'strace',
      [...calls, process.execPath, HOST, join(folder, 'store.sqlite'), 'a', '20'],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    await rm(folder, { recursive: true });
    expect(commitsBeforeAcknowledgements(stderr)).toEqual(Array.from({ length: 20 }, () => 'synced'));
  });
});

/**
 * Returns for each acknowledgement in a trace whether something was synced to disk since the
 * previous one.
 */
function commitsBeforeAcknowledgements(trace: string): string[] {
  const seen: string[] = [];
  let isSynced = false;
  for (const line of trace.split('\n')) {
    if (/\bf(?:data)?sync\(\d+\)\s*= 0/u.test(line) || /f(?:data)?sync resumed>\)?\s*= 0/u.test(line)) {
      isSynced = true;
    }
    if (!/\bwrite\(1, "ack /u.test(line)) continue;
    seen.push(isSynced ? 'synced' : 'not synced');
    isSynced = false;
  }
  return seen;
}

interface Appending {
  /** Resolves when the first row is acknowledged. */
  readonly first: Promise<void>;
  /** The printed ids, after the process has ended. */
  readonly ended: Promise<readonly string[]>;
  count(): number;
  kill(): void;
}

function startAppending(url: string, prefix: string): Appending {
  const child = spawn(process.execPath, [HOST, url, prefix], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  const idsIn = (): string[] => [...text.matchAll(/^ack (.+)\n/gmu)].map(([, id = '']) => id);
  const ended = new Promise<readonly string[]>((resolve) => child.once('close', () => resolve(idsIn())));
  const first = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      resolve();
    });
    child.once('close', () => reject(new TypeError('it ended before its first row')));
  });
  return { first, ended, count: () => idsIn().length, kill: () => void child.kill('SIGKILL') };
}

async function missingFrom(store: Store, told: readonly string[]): Promise<readonly string[]> {
  const rows = await store.db.selectFrom('events').select('id').execute();
  const stored = new Set(rows.map(({ id }) => id));
  return told.filter((id) => !stored.has(id));
}
