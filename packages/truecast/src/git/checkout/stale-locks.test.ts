import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { cleanUp, newRepository } from '../test-repository.ts';
import { removeBranchLock, removeStaleLocks } from './stale-locks.ts';

afterEach(cleanUp);

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
  await removeBranchLock('other', at);
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
