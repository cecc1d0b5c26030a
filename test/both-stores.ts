/** Owns running one suite on both databases: SQLite in memory, and a Postgres server of the suite's own. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe } from 'vitest';
import { openStore } from '../src/store/open-store.ts';
import type { Store } from '../src/store/store.ts';

const run = promisify(execFile);
/** Where Debian puts the server's programs. */
const BIN = '/usr/lib/postgresql/15/bin';
const hasPostgres = existsSync(join(BIN, 'postgres'));

interface Database {
  readonly url: string;
  stop(): Promise<void>;
}

/** Runs `suite` on each; `open` gives the suite's store. In CI Postgres must be there; elsewhere its half is left out without it. */
export function describeOnBothStores(name: string, suite: (open: () => Store) => void): void {
  describe(`${name}, on SQLite`, () => {
    withStore(() => Promise.resolve({ url: ':memory:', stop: () => Promise.resolve() }), suite);
  });
  const isNeeded = hasPostgres || process.env['CI'] === 'true';
  describe.runIf(isNeeded)(`${name}, on Postgres (${BIN})`, () => withStore(startPostgres, suite));
}

function withStore(start: () => Promise<Database>, suite: (open: () => Store) => void): void {
  let store: Store | undefined;
  let database: Database | undefined;
  beforeAll(async () => {
    database = await start();
    store = await openStore({ url: database.url });
  });
  afterAll(async () => {
    await store?.close();
    await database?.stop();
  });
  suite(() => store!);
}

async function startPostgres(): Promise<Database> {
  const folder = await mkdtemp(join(tmpdir(), 'truecast-postgres-'));
  const as = await serverUser();
  if (as !== undefined) await chown(folder, as.uid, as.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`;
  await run(join(BIN, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'], {
    ...as,
  });
  // A log file, or the server would hold the pipes of the program that started it.
  const log = join(folder, 'log');
  await run(join(BIN, 'pg_ctl'), ['-D', data, '-o', settings, '-l', log, '-w', 'start'], { ...as });
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await run(join(BIN, 'pg_ctl'), ['-D', data, '-m', 'immediate', 'stop'], { ...as });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The server refuses to run as root: it is given the user of its package there. */
async function serverUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
