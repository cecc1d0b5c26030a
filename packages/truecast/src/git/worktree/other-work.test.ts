/** Work outside of the run's branch on the host: what is the agent's, and what is not. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { collectCommits } from './commits.ts';
import { mergeToHead } from './merge.ts';
import { keepOtherWork, type OtherWork } from './other-work.ts';
import { removeWorktree } from './remove-worktree.ts';
import {
  CALL,
  cleanUp,
  commit,
  newRepository,
  place,
  plainGit,
  temporaryFolder,
  writeIn,
} from '../test-repository.ts';
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

test('keeps what the agent left in the stash, and nothing that the user stashed', async () => {
  const path = newRepository();
  const stash = (cwd: string, name: string, message?: string): string => {
    writeIn(cwd, 'a.txt', `${name}\n`);
    plainGit(cwd, 'stash', 'push', '--quiet', ...(message === undefined ? [] : ['-m', message]));
    return plainGit(path, 'rev-parse', 'stash@{0}');
  };
  stash(path, 'before');
  const worktree = await place(path);
  const onBranch = stash(worktree.path, 'first');
  plainGit(worktree.path, 'checkout', '--quiet', '--detach');
  const detached = stash(worktree.path, 'second', 'mine: half');
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'side');
  const onSide = stash(worktree.path, 'third', 'On main: a lie');
  plainGit(worktree.path, 'checkout', '--quiet', worktree.branch ?? '');
  stash(path, 'during');
  const { recovered, warnings } = await keep(worktree);
  expect(recovered.map(({ sha, from }) => [from, sha])).toEqual([
    ['stash@{3}', onBranch],
    ['stash@{2}', detached],
    ['stash@{1}', onSide],
  ]);
  for (const { ref, sha } of recovered) expect(plainGit(path, 'rev-parse', ref)).toBe(sha);
  expect(warnings).toHaveLength(3);
  expect(warnings[0]).toMatch(/^The agent left `stash@\{3\}` in the stash; it is kept as `refs/u);
  expect(await keep(worktree, [onBranch, detached, onSide])).toEqual(NOTHING);
});

describe("the caller's branch", () => {
  it.each([
    ['to its branch', (agent: string) => plainGit(agent, 'update-ref', 'refs/heads/main', 'HEAD')],
    [
      'by a merge in the checkout',
      (agent: string, path: string) => {
        commit(path, 'user.txt', 'x');
        plainGit(path, 'merge', '--quiet', '--no-edit', plainGit(agent, 'branch', '--show-current'));
      },
    ],
  ])('is kept, and the commits count, when the agent moves it %s', async (_what, move) => {
    const path = newRepository();
    const worktree = await place(path);
    const own = commit(worktree.path, 'b.txt', 'b');
    move(worktree.path, path);
    const main = plainGit(path, 'rev-parse', 'main');
    expect((await collectCommits(worktree, CALL)).commits).toEqual([{ sha: own }]);
    const { recovered, warnings } = await keep(worktree);
    expect(recovered.map(({ sha, from }) => [from, sha])).toEqual([['refs/heads/main', main]]);
    expect(plainGit(path, 'rev-parse', recovered[0]?.ref ?? '')).toBe(main);
    expect(warnings).toEqual([expect.stringContaining('The agent itself moved `main`')]);
  });

  it('gets a warning when somebody commits on it, and none for a merge of another run', async () => {
    const path = newRepository();
    const [worktree, other] = [await place(path), await place(path)];
    commit(other.path, 'other.txt', 'x');
    await mergeToHead({ worktree: other, now: new Date(), onWarning: () => undefined, ...CALL });
    commit(worktree.path, 'b.txt', 'b');
    expect(await keep(worktree)).toEqual(NOTHING);
    const before = plainGit(path, 'rev-parse', '--short=12', 'main');
    commit(path, 'c.txt', 'c');
    const { recovered, warnings } = await keep(worktree);
    expect(recovered).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^`main` got 2 commits while the agent worked/u)]);
    expect(before).not.toBe('');
  });

  it.each([
    ['lost 1 commit', (path: string) => plainGit(path, 'update-ref', 'refs/heads/main', 'main~1')],
    ['was deleted', (path: string) => plainGit(path, 'update-ref', '-d', 'refs/heads/main')],
  ])('is kept at its old commit when it %s', async (what, move) => {
    const path = newRepository();
    const lost = commit(path, 'second.txt', 'x');
    const worktree = await place(path);
    move(worktree.path);
    const { recovered, warnings } = await keep(worktree);
    expect(recovered.map(({ sha, from }) => [from, sha])).toEqual([['refs/heads/main', lost]]);
    expect(warnings).toEqual([expect.stringContaining(`\`main\` ${what} while the agent worked`)]);
  });

  it('is unmoved when its reference was packed, or when the agent only fetched it', async () => {
    const path = newRepository();
    const worktree = await place(path);
    plainGit(path, 'pack-refs', '--all');
    expect(await keep(worktree)).toEqual(NOTHING);
    const packed = await place(path);
    plainGit(path, 'update-ref', 'refs/heads/main', plainGit(path, 'rev-parse', 'main'));
    expect(await keep(packed)).toEqual(NOTHING);
  });

  it('counts commits that the agent pushed to its remote branch', async () => {
    const path = newRepository();
    const remote = temporaryFolder();
    plainGit(remote, 'init', '--quiet', '--bare');
    plainGit(path, 'remote', 'add', 'origin', remote);
    const worktree = await place(path);
    const own = commit(worktree.path, 'b.txt', 'b');
    plainGit(worktree.path, 'push', '--quiet', 'origin', 'HEAD:main');
    expect((await collectCommits(worktree, CALL)).commits).toEqual([{ sha: own }]);
    expect((await keep(worktree)).warnings).toEqual([
      expect.stringContaining('The agent itself moved `origin/main`'),
    ]);
  });
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
