/** Bait for escape attempts: a repository, a file, a server and a process on the host that a guest must not reach. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { appendFile, copyFile, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MountConfig } from '../../ports/sandbox-provider.ts';

/** What a sandbox promises, as listed in SECURITY.md. */
export type SandboxPromise =
  | 'files'
  | 'secrets'
  | 'history'
  | 'code-on-host'
  | 'network'
  | 'processes'
  | 'budget';

/** `not-tried`: the sandbox lacks a program that the attempt needs, or does not promise to hold it. */
export type EscapeOutcome = 'held' | 'escaped' | 'not-tried';

/** One attempt of a guest to break out. */
export interface EscapeAttempt {
  /** Stable, in kebab-case. */
  readonly id: string;
  /** What the guest tries, as a verb phrase. */
  readonly title: string;
  readonly promise: SandboxPromise;
  /** Names of the sandboxes that promise to hold it. @default all sandboxes */
  readonly only?: readonly string[];
  /** Where the guest works. @default 'branch' */
  readonly strategy?: 'head' | 'branch' | 'merge-to-head';
  /** Prepares the bait before the guest starts. */
  readonly prepare?: (bait: EscapeBait) => Promise<void>;
  /** Mounts of the sandbox. One that does not support mounts ignores them. */
  readonly mounts?: (bait: EscapeBait) => readonly MountConfig[];
  /** POSIX shell. It prints `NOT-TRIED`, or `NOT-TRIED: <reason>`, if a program is missing. */
  readonly script: (bait: EscapeBait) => string;
  /** Returns true if the guest succeeded. `output` is the stdout of the script. */
  readonly escaped: (bait: EscapeBait, output: string) => boolean | Promise<boolean>;
}

export interface EscapeResult {
  readonly id: string;
  readonly title: string;
  readonly promise: SandboxPromise;
  readonly outcome: EscapeOutcome;
  /** Why it was not tried. */
  readonly reason?: string;
}

const run = promisify(execFile);

// Maintenance finds nothing to do.
const SETTINGS = [
  'user.name=Bait',
  'user.email=bait@localhost',
  'commit.gpgSign=false',
  'maintenance.auto=false',
];
const AUTHOR = SETTINGS.flatMap((setting) => ['-c', setting]);
const GIT_TIMEOUT_MS = 20_000;

/** Targets on the host, with checks of whether a guest reached them. */
export interface EscapeBait {
  /** Holds everything below. Removed by `remove`. */
  readonly folder: string;
  /** A repository with one commit on `main`, and `file.txt` in it. */
  readonly repository: string;
  /** A host file with `secret` as its text. */
  readonly outsideFile: string;
  /** A file that exists only if a command of the guest ran on the host. */
  readonly marker: string;
  /** Random text in `outsideFile`, in the git configuration, and in the environment of `processId`. */
  readonly secret: string;
  /** A TCP server of the host on 127.0.0.1. */
  readonly port: number;
  /** A process of the host that sleeps. */
  readonly processId: number;
  /** Number of connections to `port`. */
  connections(): number;
  /** Returns true while `processId` runs. */
  isProcessAlive(): boolean;
  /** Returns true if `outsideFile` changed. */
  isFileChanged(): Promise<boolean>;
  /** Returns true if a process on this host has `text` in its command line. Linux only. */
  hasProcess(text: string): Promise<boolean>;
  /** Runs the user's git in the repository, with its configuration and hooks. Returns stdout, or undefined on failure. */
  git(...args: readonly string[]): Promise<string | undefined>;
  remove(): Promise<void>;
}

/** Creates the bait, runs `work`, and removes the bait. */
export async function withEscapeBait<T>(work: (bait: EscapeBait) => Promise<T>): Promise<T> {
  const bait = await createEscapeBait();
  const stateHome = process.env['XDG_STATE_HOME'];
  // The bait is removed soon. Its logs must not stay in the user's state folder.
  process.env['XDG_STATE_HOME'] = `${bait.folder}/state`;
  try {
    return await work(bait);
  } finally {
    if (stateHome === undefined) delete process.env['XDG_STATE_HOME'];
    else process.env['XDG_STATE_HOME'] = stateHome;
    await bait.remove();
  }
}

async function createEscapeBait(): Promise<EscapeBait> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'truecast-escapes-')));
  const secret = `bait-${randomBytes(12).toString('hex')}`;
  const repository = join(folder, 'repository');
  const outsideFile = join(folder, 'outside.txt');
  await writeFile(outsideFile, secret);
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = async (...args: readonly string[]): Promise<string | undefined> =>
    await run('git', [...AUTHOR, ...args], { cwd: repository, env, timeout: GIT_TIMEOUT_MS }).then(
      ({ stdout }) => stdout.trim(),
      () => undefined,
    );
  await run('git', ['init', '-q', '-b', 'main', repository], { env });
  await fillRepository(repository, secret, git);
  const { port, connections, close } = await listen();
  const sleeper = spawn('sleep', ['600'], { env: { ...env, BAIT: secret }, stdio: 'ignore' });
  return {
    folder,
    repository,
    outsideFile,
    marker: join(folder, 'marker'),
    secret,
    port,
    processId: sleeper.pid ?? 0,
    connections,
    isProcessAlive: () => sleeper.exitCode === null && sleeper.signalCode === null,
    isFileChanged: async () => (await readFile(outsideFile, 'utf8').catch(() => '')) !== secret,
    hasProcess,
    git,
    async remove() {
      sleeper.kill('SIGKILL');
      close();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function fillRepository(repository: string, secret: string, git: EscapeBait['git']): Promise<void> {
  await writeFile(join(repository, 'file.txt'), 'the file\n');
  await writeFile(join(repository, 'other.txt'), 'the other file\n');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'begin');
  // Without a git for each: a suite makes a bait for every attempt.
  const gitDir = join(repository, '.git');
  await copyFile(join(gitDir, 'refs/heads/main'), join(gitDir, 'refs/tags/v1'));
  const header = `[http "https://bait.invalid/"]\n\textraheader = AUTHORIZATION: basic ${secret}\n`;
  await appendFile(join(gitDir, 'config'), header);
}

async function listen(): Promise<{ port: number; connections: () => number; close: () => void }> {
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  const { port } = server.address() as AddressInfo;
  return { port, connections: () => count, close: () => void server.close() };
}

async function hasProcess(text: string): Promise<boolean> {
  const ids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/u.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return lines.some((line) => line.includes(text));
}

/** Runs the git commands that a user runs next, in the checkout and in the folders that a guest left. */
export async function useGitAsTheUser({ repository, git }: EscapeBait): Promise<void> {
  for (const folder of ['.', 'planted']) {
    if (!existsSync(join(repository, folder))) continue;
    for (const args of [
      ['status'],
      ['diff'],
      ['log', '-p', '-1'],
      ['add', '-A', '-n'],
      ['commit', '--allow-empty', '-m', 'user'],
    ]) {
      await git('-C', folder, ...args);
    }
  }
}
