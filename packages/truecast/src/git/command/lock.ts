/**
 * Locks between processes, such as that of a worktree: each is a file that names its holder and
 * expires with it.
 *
 * free --link()--> held --unlink() by the holder--> free
 *
 * held by a dead process --takeover under a lock named by the holder's nonce--> free
 *
 * The files are small and are read and written synchronously. A call takes about ten microseconds.
 * Through the thread pool it takes ten times as long, and milliseconds on a busy machine. A run
 * with three locks makes about forty such calls.
 */
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { liveHolder, readHolder, type LockHolder } from './lock-holder.ts';
import { hasCode, storageError } from '../../support/storage-error.ts';
import { thisProcess } from '../../process/process-identity.ts';

/** A lock that this process holds. */
export interface Lock {
  readonly path: string;
  /** Releases the lock. Idempotent. */
  release(): Promise<void>;
}

export interface LockOptions {
  /**
   * Git directory that all checkouts share. Locks are in it, where a sandboxed guest cannot write.
   */
  readonly commonDir: string;
  /** Key of the locked resource. One lock per key. */
  readonly key: string;
  /** Name of the locked resource, for the error message of the second process. */
  readonly subject: string;
  /** Command of the holder, for the error message of the second process. */
  readonly command: string;
  readonly now: Date;
}

export interface WaitForLockOptions extends LockOptions {
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** First pause of a process that waits, and the longest one: a queue of checked merges can take hours. */
const PAUSE_MS = { first: 20, longest: 250 } as const;

/** Lock key that serializes merges into the host's checkout. */
export const MERGE_LOCK_KEY = 'merge';

/**
 * Acquires a lock, or fails at once.
 *
 * @throws RepositoryError `locked`, with the holder and its start
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const path = lockPath(options);
  const outcome = await tryLock(path, options);
  if ('release' in outcome) return outcome;
  throw lockedBy(outcome, path, options.subject);
}

/**
 * Waits for a lock, and runs `work` under it.
 *
 * @throws RepositoryError `locked` if it is not free within `waitMs`; the signal's reason
 */
export async function withLock<TResult>(
  options: WaitForLockOptions,
  work: () => Promise<TResult>,
): Promise<TResult> {
  const lock = await waitForLock(options);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Returns the current holder of a lock. Undefined if no live process holds it. */
export async function readLockHolder(
  options: Pick<LockOptions, 'commonDir' | 'key'>,
): Promise<LockHolder | undefined> {
  const held = readHolder(lockPath(options));
  return held === undefined ? undefined : liveHolder(held);
}

async function waitForLock(options: WaitForLockOptions): Promise<Lock> {
  const path = lockPath(options);
  const deadline = performance.now() + options.waitMs;
  for (let pauseMs: number = PAUSE_MS.first; ; pauseMs = Math.min(1.5 * pauseMs, PAUSE_MS.longest)) {
    options.signal?.throwIfAborted();
    const outcome = await tryLock(path, options);
    if ('release' in outcome) return outcome;
    if (performance.now() >= deadline) throw lockedBy(outcome, path, options.subject);
    // Random pauses (jitter), because the waiting processes would otherwise collide again.
    await sleep(pauseMs * (0.5 + Math.random() / 2));
  }
}

/** Returns the lock, or its current holder. */
async function tryLock(path: string, options: LockOptions): Promise<Lock | LockHolder> {
  for (;;) {
    const held = readHolder(path);
    if (held === undefined) {
      const lock = create(path, options);
      if (lock !== undefined) return lock;
      continue;
    }
    const holder = liveHolder(held);
    if (holder !== undefined) return holder;
    await removeDead(path, held.nonce, options);
  }
}

/**
 * Removes the lock of a dead holder, exactly once even if many processes try.
 *
 * Two processes could both read the dead holder. The slower one would then remove the faster one's
 * new lock. Therefore a dead holder's file can be removed only under the lock named by its nonce,
 * after a second check.
 */
async function removeDead(path: string, nonce: string, options: LockOptions): Promise<void> {
  const right = await tryLock(`${path}.${nonce}`, options);
  if (!('release' in right)) {
    await sleep(2);
    return;
  }
  try {
    const held = readHolder(path);
    if (held?.nonce === nonce) unlinkSync(path);
  } finally {
    await right.release();
  }
}

function create(path: string, { command, now }: LockOptions): Lock | undefined {
  const nonce = randomUUID().replaceAll('-', '').slice(0, 12);
  const holder: LockHolder = { nonce, ...thisProcess(), startedAt: now.toISOString(), command: cut(command) };
  const draft = join(dirname(path), `draft-${nonce}`);
  try {
    writeDraft(draft, `${JSON.stringify(holder)}\n`);
    // A hard link appears with its content or not at all. A file that is being written could be
    // read incompletely.
    linkSync(draft, path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return undefined;
    throw storageError(error);
  } finally {
    // On a full disk the draft exists and is empty. On a read-only disk it does not exist.
    rmSync(draft, { force: true });
  }
  return heldLock(path, nonce);
}

function writeDraft(draft: string, text: string): void {
  try {
    writeFileSync(draft, text, { flag: 'wx' });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    makeFolder(dirname(dirname(draft)));
    makeFolder(dirname(draft));
    writeFileSync(draft, text, { flag: 'wx' });
  }
}

/** Not recursive: Node then reports a read-only file system as ENOENT. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function heldLock(path: string, nonce: string): Lock {
  let isReleased = false;
  return {
    path,
    release(): Promise<void> {
      if (!isReleased) {
        isReleased = true;
        // Checks the holder, because a user can have deleted the file, and another process can have
        // acquired the lock. A failure must not hide the error of the locked work, and the lock
        // expires with the process.
        if (readHolder(path)?.nonce === nonce) removeQuietly(path);
      }
      return Promise.resolve();
    },
  };
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The disk is read-only.
  }
}

function lockedBy(
  { pid, host, startedAt, command }: LockHolder,
  path: string,
  subject: string,
): RepositoryError {
  return new RepositoryError(
    `${subject} is in use by process ${pid} on ${host} (\`${command}\`), since ${startedAt}. Wait for it to end, or stop it. If it no longer runs, delete \`${path}\`.`,
    { code: 'locked' },
  );
}

function lockPath({ commonDir, key }: Pick<LockOptions, 'commonDir' | 'key'>): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12);
  const slug = basename(key)
    .replaceAll(/[^A-Za-z0-9-]+/gu, '-')
    .slice(0, 40);
  return join(commonDir, 'truecast', 'locks', `${slug}-${hash}.lock`);
}

export interface LockFile {
  readonly path: string;
  /** Undefined if its holder has ended, or if it never had one. */
  readonly holder: LockHolder | undefined;
}

export async function listLocks(commonDir: string): Promise<LockFile[]> {
  const folder = join(commonDir, 'truecast', 'locks');
  const names = await readdir(folder).catch(() => []);
  const found = names.map((name) => {
    const path = join(folder, name);
    const held = readHolder(path);
    return held === undefined ? undefined : { path, holder: liveHolder(held) };
  });
  return found.filter((lock) => lock !== undefined);
}

/** Removes a lock whose holder has ended. Returns false if a live process holds it. */
export async function removeDeadLock(path: string, options: Omit<LockOptions, 'key'>): Promise<boolean> {
  const held = readHolder(path);
  if (held === undefined) return true;
  if (liveHolder(held) !== undefined) return false;
  await removeDead(path, held.nonce, { ...options, key: path });
  return true;
}
