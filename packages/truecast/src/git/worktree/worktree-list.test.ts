import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { git } from '../command/git.ts';
import { CALL, cleanUp, newRepository, open, plainGit } from '../test-repository.ts';
import { addWorktree } from './add-worktree.ts';
import { listWorktrees } from './worktree-list.ts';

afterEach(cleanUp);

/** State that exists for a moment while git adds a worktree. */
function halfWritten(path: string, commonDir = ''): string {
  const folder = join(path, '.git/worktrees/next');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gitdir'), `${join(path, 'next/.git')}\n`);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(folder, 'commondir'), commonDir);
  return folder;
}

/** Git resolves a path in the directory of a worktree that is gone, as when another process removes one. */
function halfRemoved(path: string): string {
  return halfWritten(path, '../gone/../..\n');
}

test('lists the worktrees once another process has added its own', async () => {
  const path = newRepository();
  const repository = await open(path);
  const folder = halfWritten(path);
  setTimeout(() => rmSync(folder, { recursive: true }), 60);
  expect(await listWorktrees(repository, CALL)).toMatchObject([{ path }]);
});

test('reports git’s reason when that never ends', async () => {
  const path = newRepository();
  const repository = await open(path);
  halfWritten(path);
  await expect(listWorktrees(repository, CALL)).rejects.toMatchObject({
    code: 'git-failed',
    message: expect.stringContaining('commondir'),
  });
});

/** Runs git, and calls `onTry` at each try. */
async function countTries(
  path: string,
  args: readonly string[],
  onTry: (tries: number) => unknown,
): Promise<{ readonly exitCode: number; readonly tries: number }> {
  let tries = 0;
  const onSpawn = (): void => void onTry((tries += 1));
  const { exitCode } = await git(args, { ...CALL, cwd: path, onSpawn });
  return { exitCode, tries };
}

test.each([
  ['worktree', 'list'],
  ['branch', '--list'],
  ['rev-list', '--all'],
])('`git %s %s` is tried again while another process removes a worktree', async (...args) => {
  const path = newRepository();
  const old = halfRemoved(path);
  // Its first try has failed.
  const { exitCode, tries } = await countTries(path, args, (count) =>
    count === 2 ? rmSync(old, { recursive: true }) : undefined,
  );
  expect(exitCode).toBe(0);
  expect(tries).toBeGreaterThan(1);
});

test('a broken directory of a worktree is reported after some tries', async () => {
  const path = newRepository();
  halfRemoved(path);
  const { exitCode, tries } = await countTries(path, ['worktree', 'list'], () => undefined);
  expect({ exitCode, tries }).toEqual({ exitCode: 128, tries: 20 });
});

test('a worktree with a new branch is added after another process has removed its own', async () => {
  const path = newRepository();
  const repository = await open(path);
  const old = halfRemoved(path);
  const failed = await git(['worktree', 'add', '-b', 'left', join(path, 'left')], { ...CALL, cwd: path });
  expect(failed.exitCode).toBe(128);
  // Git has created the branch all the same.
  expect(plainGit(path, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/left')).toBe('left');
  setTimeout(() => rmSync(old, { recursive: true }), 200);
  const start = plainGit(path, 'rev-parse', 'HEAD');
  const added = await addWorktree({ ...CALL, repository, branch: 'work', start, isNewBranch: true });
  expect(plainGit(added.path, 'symbolic-ref', '--short', 'HEAD')).toBe('work');
});
