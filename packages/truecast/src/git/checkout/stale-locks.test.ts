import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { cleanUp, newRepository, plainGit } from '../test-repository.ts';
import { removePackedLock, removeReferenceLocks, removeStaleLocks } from './stale-locks.ts';

const processes: ChildProcess[] = [];
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL');
  cleanUp();
});

const LONG_AGO = new Date(Date.now() - 60_000);

function makeLock(...path: readonly string[]): string {
  const lock = join(...path);
  writeFileSync(lock, '');
  utimesSync(lock, LONG_AGO, LONG_AGO);
  return lock;
}

function place(): { path: string; gitDir: string; commonDir: string } {
  const path = newRepository();
  const gitDir = join(path, '.git');
  return { path, gitDir, commonDir: gitDir };
}

it('removes the locks of the index, of HEAD and of the checked-out branch, and no other', async () => {
  const at = place();
  const stale = ['index.lock', 'HEAD.lock', 'refs/heads/main.lock'].map((name) => makeLock(at.gitDir, name));
  const other = makeLock(at.gitDir, 'refs/heads/other.lock');
  expect(await removeStaleLocks(at)).toBeUndefined();
  expect(stale.filter(existsSync)).toEqual([]);
  expect(existsSync(other)).toBe(true);
  await removeReferenceLocks(['refs/heads/other'], at);
  expect(existsSync(other)).toBe(false);
});

it.each(['ref: refs/heads/../../../outside\n', 'ref: refs/tags/v1\n', 'ref: refs/heads//x\n', ''])(
  'removes no file for the HEAD %j',
  async (head) => {
    const at = place();
    writeFileSync(join(at.gitDir, 'HEAD'), head);
    const locks = [makeLock(at.path, 'outside.lock'), makeLock(at.gitDir, 'refs/heads/main.lock')];
    await removeStaleLocks(at);
    expect(locks.filter(existsSync)).toEqual(locks);
  },
);

it('names a lock that is no file', async () => {
  const at = place();
  const lock = join(at.gitDir, 'index.lock');
  mkdirSync(lock);
  expect(await removeStaleLocks(at)).toBe(lock);
  expect(existsSync(lock)).toBe(true);
});

it('leaves a lock that another git has made since', async () => {
  const at = place();
  const lock = join(at.gitDir, 'index.lock');
  writeFileSync(lock, '');
  const removing = removeStaleLocks(at);
  // It has seen the file, and waits until that is a second old.
  await sleep(500);
  rmSync(lock);
  // Written under another name, so that it appears at once.
  writeFileSync(`${lock}.new`, 'theirs');
  renameSync(`${lock}.new`, lock);
  expect(await removing).toBeUndefined();
  expect(existsSync(lock)).toBe(true);
});

/** Starts a git that waits for its input in a folder. */
async function waitingGit(cwd: string): Promise<void> {
  const child = spawn('git', ['cat-file', '--batch'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  processes.push(child);
  child.stdin.write('HEAD\n');
  await once(child.stdout, 'data');
}

it('removes the lock of the packed references, so that git deletes a branch', async () => {
  const at = place();
  plainGit(at.path, 'branch', 'done');
  const lock = makeLock(at.commonDir, 'packed-refs.lock');
  expect(() => plainGit(at.path, 'branch', '-D', 'done')).toThrow('packed-refs.lock');
  await removePackedLock(at);
  expect(existsSync(lock)).toBe(false);
  plainGit(at.path, 'branch', '-D', 'done');
});

it('keeps the lock of the packed references while it is new', async () => {
  const at = place();
  const lock = join(at.commonDir, 'packed-refs.lock');
  writeFileSync(lock, '');
  await removePackedLock(at);
  expect(existsSync(lock)).toBe(true);
});

it('keeps a shared lock while an older git works in another checkout, and not for a later git', async () => {
  const at = place();
  const linked = join(at.path, '..', 'linked');
  plainGit(at.path, 'worktree', 'add', '--quiet', linked, '-b', 'linked');
  await waitingGit(linked);
  const held = makeLock(at.commonDir, 'refs/heads/other.lock');
  utimesSync(held, new Date(), new Date());
  expect(await removeReferenceLocks(['refs/heads/other'], at)).toBe(held);
  expect(existsSync(held)).toBe(true);
  // The waiting git started after this one was made.
  utimesSync(held, LONG_AGO, LONG_AGO);
  expect(await removeReferenceLocks(['refs/heads/other'], at)).toBeUndefined();
  expect(existsSync(held)).toBe(false);
});
