/** Work outside of the run's branch on the host: what is the agent's, and what is not. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { collectCommits } from './commits.ts';
import { keepOtherWork, type OtherWork } from './other-work.ts';
import { removeWorktree } from './remove-worktree.ts';
import { CALL, cleanUp, commit, newRepository, place, plainGit } from '../test-repository.ts';
import type { LockedWorktree } from './worktree.ts';

afterEach(cleanUp);

async function keep(worktree: LockedWorktree, kept: readonly string[] = []): Promise<OtherWork> {
  return keepOtherWork(worktree, await collectCommits(worktree, CALL), { kept, ...CALL });
}

const NOTHING: OtherWork = { recovered: [], warnings: [] };

test('keeps commits on a detached HEAD and on a branch of the agent, each with a warning', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'mine', 'HEAD~1');
  const mine = commit(worktree.path, 'c.txt', 'c');
  plainGit(worktree.path, 'checkout', '--quiet', '--detach');
  const detached = commit(worktree.path, 'd.txt', 'd');
  const { recovered, warnings } = await keep(worktree);
  expect(recovered.map(({ sha, from }) => [sha, from])).toEqual([
    [mine, 'refs/heads/mine'],
    [detached, 'HEAD'],
  ]);
  for (const { ref, sha } of recovered) {
    expect(plainGit(path, 'rev-parse', ref)).toBe(sha);
    expect(warnings.join('\n')).toContain(ref);
  }
  expect(warnings).toHaveLength(2);
});

test('keeps an annotated tag of the agent, and its moved branch', async () => {
  const path = newRepository();
  plainGit(path, 'branch', 'old');
  const worktree = await place(path);
  plainGit(worktree.path, 'checkout', '--quiet', 'old');
  commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'tag', '-a', '-m', 'first', 'v1');
  plainGit(worktree.path, 'checkout', '--quiet', '-');
  const { recovered } = await keep(worktree);
  expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/old', 'refs/tags/v1']);
});

test('keeps nothing of an agent that amends, resets, merges its branch back, or looks at old commits', async () => {
  const path = newRepository();
  commit(path, 'old.txt', 'x');
  plainGit(path, 'branch', 'others');
  const worktree = await place(path);
  const run = (...args: string[]): string => plainGit(worktree.path, ...args);
  commit(worktree.path, 'b.txt', 'b');
  run('commit', '--quiet', '--amend', '-m', 'amended');
  commit(worktree.path, 'c.txt', 'c');
  run('reset', '--quiet', '--hard', 'HEAD~1');
  run('checkout', '--quiet', '-b', 'side');
  commit(worktree.path, 'd.txt', 'd');
  run('checkout', '--quiet', '-');
  run('merge', '--quiet', '--no-ff', '--no-edit', 'side');
  run('checkout', '--quiet', 'others');
  expect(await keep(worktree)).toEqual(NOTHING);
  run('checkout', '--quiet', '--detach', 'others~1');
  expect(await keep(worktree)).toEqual(NOTHING);
});

test('keeps nothing that the user and other runs commit elsewhere meanwhile', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const other = await place(path);
  commit(other.path, 'other.txt', 'x');
  plainGit(path, 'checkout', '--quiet', '-b', 'users');
  commit(path, 'users.txt', 'x');
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'mine');
  commit(worktree.path, 'b.txt', 'b');
  const { recovered } = await keep(worktree);
  expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/mine']);
});

test('keeps nothing that the user left on a detached HEAD before the run', async () => {
  const path = newRepository();
  plainGit(path, 'checkout', '--quiet', '--detach');
  commit(path, 'lost.txt', 'x');
  plainGit(path, 'checkout', '--quiet', 'main');
  const worktree = await place(path, { branchStrategy: { type: 'head' } });
  plainGit(path, 'checkout', '--quiet', '-b', 'mine');
  commit(path, 'b.txt', 'b');
  const { recovered } = await keep(worktree);
  expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/mine']);
});

test('does not keep again what a sandbox has kept', async () => {
  const path = newRepository();
  const worktree = await place(path);
  plainGit(worktree.path, 'checkout', '--quiet', '--detach');
  const detached = commit(worktree.path, 'd.txt', 'd');
  expect(await keep(worktree, [detached])).toEqual(NOTHING);
});

test('creates the branch again at its old commit if the agent has renamed or deleted it', async () => {
  const path = newRepository();
  const worktree = await place(path, { branchStrategy: { type: 'branch', branch: 'topic' } });
  plainGit(worktree.path, 'branch', '-m', 'renamed');
  commit(worktree.path, 'b.txt', 'b');
  expect((await keep(worktree)).recovered.map(({ from }) => from)).toEqual(['refs/heads/renamed']);
  expect(plainGit(path, 'rev-parse', 'topic')).toBe(worktree.baseSha);
  plainGit(path, 'update-ref', '-d', 'refs/heads/topic');
  await keep(worktree);
  expect(plainGit(path, 'rev-parse', 'topic')).toBe(worktree.baseSha);
});

test.each([
  ['is switched off', (path: string) => plainGit(path, 'config', 'core.logAllRefUpdates', 'false')],
  ['was deleted by the agent', () => ''],
])('keeps a branch that the agent has left when the log of HEAD %s', async (what, prepare) => {
  const path = newRepository();
  prepare(path);
  const worktree = await place(path);
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'mine');
  commit(worktree.path, 'b.txt', 'b');
  if (what.startsWith('was')) rmSync(join(worktree.gitDir, 'logs'), { recursive: true });
  else plainGit(worktree.path, 'checkout', '--quiet', worktree.branch ?? '');
  const { recovered } = await keep(worktree);
  expect(recovered.map(({ from }) => from)).toEqual(['refs/heads/mine']);
});

test('keeps a clean worktree in the middle of a rebase', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'config', 'sequence.editor', "sed -i 's/^pick/edit/'");
  plainGit(worktree.path, 'rebase', '--quiet', '--interactive', 'HEAD~1');
  expect(plainGit(worktree.path, 'status', '--porcelain')).toBe('');
  expect((await keep(worktree)).warnings).toEqual([expect.stringContaining('unfinished')]);
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: false, isDirty: true });
});
