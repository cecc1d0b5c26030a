import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { CALL, cleanUp, newRepository, open } from '../test-repository.ts';
import { listWorktrees } from './worktree-list.ts';

afterEach(cleanUp);

/** State that exists for a moment while git adds a worktree. */
function halfWritten(path: string): string {
  const folder = join(path, '.git/worktrees/next');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'gitdir'), `${join(path, 'next/.git')}\n`);
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(folder, 'commondir'), '');
  return folder;
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
