/**
 * Real Postgres server for tests: in a temporary folder, on a free port, ended with the process
 * that started it.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';

/** An unprivileged user: Postgres refuses to run as root. */
const NOBODY = 65_534;
const START_TIMEOUT_MS = 30_000;
const DEBIAN_FOLDER = '/usr/lib/postgresql';
/** File system in memory. A database has 300 files: there, creation and deletion take a quarter of the time. */
const MEMORY_FOLDER = '/dev/shm';
const MIN_MEMORY_BYTES: number = 2 ** 30;

/** A running server. */
export interface TestPostgres {
  /** Returns the address of a database on it. */
  url(database: string): string;
  /** Creates a database and returns its address. */
  createDatabase(): Promise<string>;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
  /**
   * Stops it, by default as an administrator would, and restarts it on the same port with the same
   * data.
   */
  restart(options?: { readonly signal?: 'SIGINT' | 'SIGKILL'; readonly downMs?: number }): Promise<void>;
}

/** Options of a server. */
export interface StartPostgresOptions {
  /**
   * Writes through to the disk, as production servers do. Without it, they are faster and survive
   * everything except a crash of the machine. @default false
   */
  readonly durable?: boolean;
}

/**
 * Returns why suites on Postgres cannot run here, or undefined if they can. In CI they always run,
 * and fail if it is missing.
 */
export const postgresIsMissing: string | undefined =
  findPrograms() === undefined && process.env['CI'] !== 'true'
    ? '`postgres` and `initdb` are not on the PATH and not in /usr/lib/postgresql. Install them: `apt install postgresql`'
    : undefined;

/** Starts a server in about a second. */
export async function startPostgres({ durable = false }: StartPostgresOptions = {}): Promise<TestPostgres> {
  const programs = findPrograms();
  if (programs === undefined) throw new TypeError('Install PostgreSQL: apt-get install postgresql');
  const folder = await mkdtemp(join(await parentFolder(durable), 'truecast-postgres-'));
  if (isRoot()) await chown(folder, NOBODY, NOBODY);
  const data = join(folder, 'data');
  const [initdb = '', ...asUser] = asUnprivileged(join(programs, 'initdb'));
  // A collation other than byte order exposes code that relies on its own order.
  const order = ['-E', 'UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en'];
  const how = ['-D', data, '-A', 'trust', '-U', 'truecast', '--no-sync', ...order];
  await promisify(execFile)(initdb, [...asUser, ...how], { cwd: folder });
  const port = await freePort();
  const start = (): Promise<ChildProcess> => startServer(join(programs, 'postgres'), { data, port, durable });
  let server = await start();
  const url = (database: string): string => `postgres://truecast@127.0.0.1:${port}/${database}`;
  let databases = 0;
  return {
    url,
    createDatabase: async () => {
      databases += 1;
      const name = `test_${databases}`;
      const client = new Client({ connectionString: url('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return url(name);
    },
    stop: async () => {
      await endServer(server, 'SIGQUIT');
      await rm(folder, { recursive: true, force: true });
    },
    restart: async ({ signal = 'SIGINT', downMs = 0 } = {}) => {
      await endServer(server, signal);
      await sleep(downMs);
      server = await start();
    },
  };
}

/** Containers often limit `/dev/shm` to 64 MB. */
async function parentFolder(durable: boolean): Promise<string> {
  const space = durable ? undefined : await statfs(MEMORY_FOLDER).catch(() => undefined);
  return space !== undefined && space.bavail * space.bsize >= MIN_MEMORY_BYTES ? MEMORY_FOLDER : tmpdir();
}

interface ServerOptions {
  readonly data: string;
  readonly port: number;
  readonly durable: boolean;
}

/** Starts the server, with retries while processes of a killed one still hold its data. */
async function startServer(program: string, options: ServerOptions): Promise<ChildProcess> {
  const startedMs = performance.now();
  for (;;) {
    const { server, complaint } = await tryToStart(program, options);
    if (complaint === undefined) return server;
    if (performance.now() - startedMs > START_TIMEOUT_MS) throw new TypeError(complaint);
    await sleep(50);
  }
}

async function tryToStart(
  program: string,
  { data, port, durable }: ServerOptions,
): Promise<{ readonly server: ChildProcess; readonly complaint?: string }> {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'shared_buffers=16MB',
    `fsync=${durable ? 'on' : 'off'}`,
    `full_page_writes=${durable ? 'on' : 'off'}`,
  ];
  const [command = '', ...first] = asUnprivileged(program);
  const server = spawn(command, [...first, '-D', data, ...settings.flatMap((setting) => ['-c', setting])], {
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const complaint = await new Promise<string | undefined>((resolve) => {
    let log = '';
    server.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (log.includes('ready to accept connections')) return;
      log += chunk;
      if (log.includes('ready to accept connections')) resolve(undefined);
    });
    server.once('close', () => resolve(`Postgres did not start: ${log}`));
  });
  return complaint === undefined ? { server } : { server, complaint };
}

async function endServer(server: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await ended;
}

/** Returns the folder of the newest installed Postgres. */
function findPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_FOLDER)
    ? readdirSync(DEBIAN_FOLDER)
        .map(Number)
        .sort((a, b) => b - a)
    : [];
  const folders = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...versions.map((version) => join(DEBIAN_FOLDER, String(version), 'bin')),
  ];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
}

/**
 * Returns the command that runs `program` as the user `nobody` if we are root. The program ends
 * with us.
 */
function asUnprivileged(program: string): readonly string[] {
  if (process.platform !== 'linux') return [program];
  const user = isRoot() ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  return ['setpriv', ...user, '--pdeathsig=QUIT', '--', program];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
