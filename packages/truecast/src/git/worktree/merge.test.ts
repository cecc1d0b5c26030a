import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { bundledHost } from '../../../../../test/bundled-host.ts';
import { matrixRuns } from '../../../../../test/matrix.ts';
import { collectCommits } from './commits.ts';
import { deleteMergedBranch } from './delete-merged-branch.ts';
import { mergeToHead, type MergeOutcome } from './merge.ts';
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

async function merge(worktree: LockedWorktree, warnings: string[] = []): Promise<MergeOutcome> {
  const onWarning = (message: string): void => void warnings.push(message);
  const merged = await mergeToHead({ worktree, now: new Date(), onWarning, ...CALL });
  await deleteMergedBranch(merged, { worktree, isWorktreeGone: false, onWarning, ...CALL });
  return merged;
}

/** The visible state of a checkout. */
function seen(path: string): unknown {
  return {
    head: plainGit(path, 'rev-parse', 'HEAD'),
    status: plainGit(path, 'status', '--porcelain=v2', '--branch'),
    diff: plainGit(path, 'diff', 'HEAD'),
    staged: plainGit(path, 'diff', '--cached'),
    isMerging: existsSync(join(path, '.git', 'MERGE_HEAD')),
    stash: plainGit(path, 'stash', 'list'),
  };
}

function branches(path: string): string[] {
  return plainGit(path, 'for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n');
}

test('fast-forwards, and deletes the temporary branch', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const tip = commit(worktree.path, 'b.txt', 'b');
  expect(await merge(worktree)).toMatchObject({ isMerged: true, headSha: tip });
  expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('b');
  expect(branches(path)).toEqual(['main']);
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
  expect(await removeWorktree(worktree, CALL)).toEqual({ isRemoved: true, isDirty: false });
});

test('creates a merge commit if others committed too, and attributes only the agent’s commits', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const one = commit(worktree.path, 'b.txt', 'b');
  const two = commit(worktree.path, 'c.txt', 'c');
  commit(path, 'foreign.txt', 'x');
  expect(await collectCommits(worktree, CALL)).toEqual({ commits: [{ sha: one }, { sha: two }] });
  const { headSha } = await merge(worktree);
  expect(plainGit(path, 'rev-list', '--count', '--merges', 'HEAD')).toBe('1');
  expect(plainGit(path, 'rev-parse', 'HEAD')).toBe(headSha);
  expect(['b.txt', 'c.txt', 'foreign.txt'].every((file) => existsSync(join(path, file)))).toBe(true);
});

test('does not count commits that the agent took from the host’s branch', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const own = commit(worktree.path, 'b.txt', 'b');
  commit(path, 'foreign.txt', 'x');
  plainGit(worktree.path, 'merge', '--quiet', '--no-edit', 'main');
  const merged = plainGit(worktree.path, 'rev-parse', 'HEAD');
  expect((await collectCommits(worktree, CALL)).commits.map(({ sha }) => sha)).toEqual([own, merged]);
});

test('collects only the commits on the branch', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const one = commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'checkout', '--quiet', '-b', 'agents-own', 'HEAD~1');
  commit(worktree.path, 'c.txt', 'c');
  plainGit(worktree.path, 'checkout', '--quiet', '--detach');
  commit(worktree.path, 'd.txt', 'd');
  expect(await collectCommits(worktree, CALL)).toEqual({ commits: [{ sha: one }] });
});

test('collects commits in the checkout itself, also when its HEAD is detached', async () => {
  const path = newRepository();
  plainGit(path, 'branch', 'other');
  plainGit(path, 'checkout', '--quiet', '--detach');
  const worktree = await place(path, { branchStrategy: { type: 'head' } });
  const one = commit(path, 'b.txt', 'b');
  const two = commit(path, 'c.txt', 'c');
  expect(await collectCommits(worktree, CALL)).toEqual({ commits: [{ sha: one }, { sha: two }] });
});

test('returns partial results and the reason when the repository is broken', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const broken = { ...worktree, gitDir: join(path, 'nowhere') };
  expect(await collectCommits(broken, CALL)).toEqual({
    commits: [],
    warning: expect.stringContaining('could not'),
  });
});

test('lists no commits of a branch that is gone, and reports one whose commit is gone', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const tip = commit(worktree.path, 'b.txt', 'b');
  rmSync(join(worktree.commonDir, 'objects', tip.slice(0, 2), tip.slice(2)));
  const incomplete = { commits: [], warning: expect.stringContaining('could not all be listed') };
  expect(await collectCommits(worktree, CALL)).toEqual(incomplete);
  writeFileSync(join(worktree.commonDir, 'refs/heads', worktree.branch ?? ''), 'no id\n');
  expect(await collectCommits(worktree, CALL)).toEqual(incomplete);
  rmSync(join(worktree.commonDir, 'refs/heads', worktree.branch ?? ''));
  expect(await collectCommits(worktree, CALL)).toEqual({ commits: [] });
});

test('merges the branch, and no commit that the agent made elsewhere', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const tip = commit(worktree.path, 'b.txt', 'b');
  plainGit(worktree.path, 'checkout', '--quiet', '--detach');
  commit(worktree.path, 'c.txt', 'c');
  expect(await merge(worktree)).toMatchObject({ isMerged: true, headSha: tip });
  expect(existsSync(join(path, 'c.txt'))).toBe(false);
});

test('merges nothing of a branch that the agent renamed', async () => {
  const path = newRepository();
  const worktree = await place(path);
  plainGit(worktree.path, 'branch', '-m', 'better-name');
  commit(worktree.path, 'b.txt', 'b');
  expect(await merge(worktree)).toMatchObject({ isMerged: false, headSha: worktree.baseSha });
  expect(branches(path)).toEqual(['better-name', 'main']);
});

test('deletes a temporary branch without commits, and leaves the host unchanged', async () => {
  const path = newRepository();
  const worktree = await place(path);
  const before = seen(path);
  expect((await merge(worktree)).isMerged).toBe(false);
  expect(seen(path)).toEqual(before);
  expect(branches(path)).toEqual(['main']);
});

test('leaves the host unchanged on a conflict, keeps the branch and reports how to finish', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'a.txt', 'agent\n');
  commit(path, 'a.txt', 'user\n');
  commit(path, 'staged.txt', '1');
  writeIn(path, 'untracked.txt', 'mine');
  writeIn(path, 'staged.txt', '2');
  plainGit(path, 'add', 'staged.txt');
  writeIn(path, 'staged.txt', '3');
  const before = seen(path);
  await expect(merge(worktree)).rejects.toMatchObject({
    code: 'merge-conflict',
    branch: worktree.branch,
    message: expect.stringMatching(new RegExp(`\`a\\.txt\`.*git merge ${worktree.branch}`, 'u')),
  });
  expect(seen(path)).toEqual(before);
  expect(branches(path)).toContain(worktree.branch);
});

test.each([
  ['a fast-forward', false],
  ['a merge commit', true],
])('refuses %s over uncommitted changes, and loses none of them', async (_what, isDiverged) => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'a.txt', 'agent\n');
  commit(worktree.path, 'b.txt', 'agent\n');
  if (isDiverged) commit(path, 'c.txt', 'user\n');
  writeIn(path, 'a.txt', 'user, not committed\n');
  writeIn(path, 'b.txt', 'user, not even added\n');
  const before = seen(path);
  await expect(merge(worktree)).rejects.toMatchObject({
    code: 'merge-conflict',
    message: expect.stringMatching(
      /a\.txt.*To finish, first commit or stash .* then run `git checkout main/u,
    ),
  });
  expect(seen(path)).toEqual(before);
  expect(readFileSync(join(path, 'b.txt'), 'utf8')).toBe('user, not even added\n');
});

test('merges beside uncommitted changes to other files', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'agent\n');
  commit(path, 'c.txt', 'user\n');
  writeIn(path, 'a.txt', 'user, not committed\n');
  expect((await merge(worktree)).isMerged).toBe(true);
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('user, not committed\n');
});

test('does not end a merge of the user’s own', async () => {
  const path = newRepository();
  plainGit(path, 'checkout', '--quiet', '-b', 'side');
  commit(path, 'a.txt', 'side');
  plainGit(path, 'checkout', '--quiet', 'main');
  commit(path, 'a.txt', 'main');
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  expect(() => plainGit(path, 'merge', 'side')).toThrow('failed');
  const before = seen(path);
  await expect(merge(worktree)).rejects.toThrow('you have an unfinished merge');
  expect(seen(path)).toEqual(before);
});

test('refuses when another branch was checked out during the run', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  plainGit(path, 'checkout', '--quiet', '-b', 'elsewhere');
  await expect(merge(worktree)).rejects.toMatchObject({
    code: 'merge-conflict',
    message: expect.stringMatching(/was on `main`.*is on `elsewhere`.*git checkout main && git merge/u),
  });
});

test('moves a detached HEAD of the host along', async () => {
  const path = newRepository();
  plainGit(path, 'checkout', '--quiet', '--detach');
  const worktree = await place(path);
  const tip = commit(worktree.path, 'b.txt', 'b');
  expect((await merge(worktree)).headSha).toBe(tip);
  expect(plainGit(path, 'rev-parse', 'HEAD')).toBe(tip);
  expect(plainGit(path, 'rev-parse', 'main')).not.toBe(tip);
});

test('leaves the host as it was when a merge commit cannot be made', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  commit(path, 'c.txt', 'c');
  plainGit(path, 'config', 'commit.gpgSign', 'true');
  plainGit(path, 'config', 'gpg.program', 'false');
  const before = seen(path);
  await expect(merge(worktree)).rejects.toMatchObject({ code: 'merge-conflict' });
  expect(seen(path)).toEqual(before);
});

test('runs no hook of the host', async () => {
  const path = newRepository();
  const worktree = await place(path);
  commit(worktree.path, 'b.txt', 'b');
  writeIn(path, '.git/hooks/post-merge', '#!/bin/sh\ntouch hook-ran\n', 0o755);
  await merge(worktree);
  expect(existsSync(join(path, 'hook-ran'))).toBe(false);
});

test('merges many runs that end at the same time in separate processes', async () => {
  const path = newRepository();
  const start = temporaryFolder();
  const host = await bundledHost(new URL('../../../../../test/run/checkout-host.ts', import.meta.url));
  const runs = Array.from({ length: matrixRuns(4, 20) }, (_, number) =>
    spawn(process.execPath, [host, 'land', path, String(number)], {
      cwd: start,
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  );
  const codes = await Promise.all(runs.map(async (run) => (await once(run, 'exit'))[0] as unknown));
  expect(codes).toEqual(runs.map(() => 0));
  expect(
    plainGit(path, 'ls-files')
      .split('\n')
      .filter((file) => file.startsWith('file-')),
  ).toHaveLength(runs.length);
  expect(plainGit(path, 'status', '--porcelain')).toBe('');
  expect(branches(path)).toEqual(['main']);
  plainGit(path, 'fsck', '--strict');
});
