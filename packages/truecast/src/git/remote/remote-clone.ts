/**
 * Clone of a repository at an address: one folder of this machine, whose branches are those of runs. It has no
 * remote in its configuration, so neither a guest nor another call of git can reach the address.
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { gitOutput, GIT_TIMEOUT_MS, type GitCallOptions, type GitOptions } from '../command/git.ts';
import { failedCall } from '../command/git-failure.ts';
import { withLock } from '../command/lock.ts';
import { LFS_OFFLINE } from '../filter-rules/host-filters.ts';
import { remoteGit, type RemoteRepository } from './remote-call.ts';

/** A clone on this machine. */
export interface RemoteClone {
  readonly path: string;
  readonly commonDir: string;
  readonly remote: RemoteRepository;
}

/** Limits of a fetch. */
export interface FetchOptions extends GitCallOptions {
  /** A fetch since then is enough, in milliseconds since 1970. */
  readonly notBefore: number;
}

/** Key of the lock under which references of a clone move. */
export const REMOTE_LOCK_KEY = 'remote';
const REMOTE_HEAD = 'refs/truecast/remote-head';
/** Prefix of the remote's branches. */
export const TRACKING = 'refs/remotes/origin/';
const REFSPECS = [`+HEAD:${REMOTE_HEAD}`, `+refs/heads/*:${TRACKING}*`, '+refs/tags/*:refs/tags/*'];
/** A first clone of a large repository takes minutes, and all of its runs wait for it. */
const LOCK_WAIT_MS = 30 * 60_000;
/** Failures that another try can survive, such as the lock of a git that a killed worker left. */
const TRANSIENT =
  /lock|resolve host|connect|timed out|reset by peer|early EOF|hung up|RPC failed|error: 5\d\d/iu;
const TRIES = 3;
const PAUSE_MS = 500;

/** Creates the clone's folder, and connects to nothing. */
export async function openClone(path: string, remote: RemoteRepository): Promise<RemoteClone> {
  const clone = { path, commonDir: join(path, '.git'), remote };
  mkdirSync(clone.commonDir, { recursive: true });
  await locked(clone, {}, async () => {
    const call = { cwd: path, timeoutMs: GIT_TIMEOUT_MS };
    await gitOutput(['init', '--quiet', '--template=', '--initial-branch=main'], call);
    // Objects of Git LFS stay pointers: the address of its server is in files of the repository.
    for (const entry of LFS_OFFLINE) {
      const [key = '', value = ''] = entry.split('=');
      await gitOutput(['config', key, value], call);
    }
  });
  return clone;
}

/**
 * Fetches all branches and tags of the address. HEAD becomes the remote's.
 *
 * @throws RepositoryError `git-failed`, `disk-full`, `timeout`, and `locked` if another fetch takes too long
 */
export async function updateClone(clone: RemoteClone, options: FetchOptions): Promise<void> {
  await locked(clone, options, async () => {
    if (fetchedAt(clone) >= options.notBefore) return;
    const call = cloneCall(clone, options);
    const startedAt = Date.now();
    await fetchAll(clone, call);
    const head = await gitOutput(['rev-parse', `${REMOTE_HEAD}^{commit}`], call);
    await gitOutput(['update-ref', '--no-deref', 'HEAD', head.trim()], call);
    writeFileSync(stampOf(clone), String(startedAt));
  });
}

/** Runs work that moves references of the clone. */
export function locked<T>(
  { commonDir, path }: RemoteClone,
  { signal }: Pick<GitCallOptions, 'signal'>,
  work: () => Promise<T>,
): Promise<T> {
  const subject = `The clone \`${path}\``;
  const lock = { commonDir, key: REMOTE_LOCK_KEY, subject, command: 'git fetch', now: new Date() };
  return withLock({ ...lock, waitMs: LOCK_WAIT_MS, signal }, work);
}

/** Options of a call in the clone. */
export function cloneCall(
  { path, commonDir }: RemoteClone,
  { timeoutMs, signal }: GitCallOptions,
): GitOptions {
  return { timeoutMs, signal, cwd: path, paths: { gitDir: commonDir, commonDir, workTree: path } };
}

async function fetchAll({ remote }: RemoteClone, call: GitOptions): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { exitCode, stderr } = await remoteGit(
      [
        'fetch',
        '--quiet',
        '--prune',
        '--no-tags',
        '--no-recurse-submodules',
        '--no-write-fetch-head',
        '--',
        remote.url,
        ...REFSPECS,
      ],
      remote,
      call,
    );
    if (exitCode === 0) return;
    if (tries >= TRIES || !TRANSIENT.test(stderr)) throw fetchFailed(stderr, exitCode);
    await sleep(PAUSE_MS * tries, undefined, { signal: call.signal });
  }
}

function fetchFailed(stderr: string, exitCode: number): RepositoryError {
  return failedCall(
    `The repository could not be fetched: ${cut(stderr.trim())}`,
    `Check its \`url\` and its \`credential\` in \`repositories\`, and the network of this machine.`,
    { stderr, exitCode },
  );
}

function fetchedAt(clone: RemoteClone): number {
  return statSync(stampOf(clone), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function stampOf({ commonDir }: RemoteClone): string {
  return join(commonDir, 'truecast', 'fetched');
}
