/** Temporary branches of ended runs. Branches without unmerged commits can be removed. */
import { branchLockKey, isTemporaryBranch } from '../../git/command/branch-name.ts';
import { git, gitOutput, type GitOptions } from '../../git/command/git.ts';
import { readLockHolder } from '../../git/command/lock.ts';
import { pathsOf } from '../../git/repository/repository.ts';
import { listWorktrees } from '../../git/worktree/worktree-list.ts';
import type { Leftover, LeftoverOptions } from './leftover.ts';

/**
 * Lists temporary branches that no live process uses.
 *
 * @param goingWorktrees - paths of worktrees that will be removed first; a branch checked out only
 *   there counts as free
 */
export async function findLeftoverBranches(
  options: LeftoverOptions,
  goingWorktrees: ReadonlySet<string>,
): Promise<Leftover[]> {
  const { repository, gitTimeoutMs } = options;
  const listed = await gitOutput(
    ['for-each-ref', '--format=%(refname:short)', 'refs/heads/truecast'],
    callOf(options),
  );
  const worktrees = await listWorktrees(repository, { timeoutMs: gitTimeoutMs });
  const checkedOut = new Set(
    worktrees.filter(({ path }) => !goingWorktrees.has(path)).map(({ branch }) => branch),
  );
  const found: Leftover[] = [];
  for (const name of listed.split('\n').filter((branch) => isTemporaryBranch(branch))) {
    if (checkedOut.has(name)) continue;
    const key = branchLockKey(name);
    if ((await readLockHolder({ commonDir: repository.commonDir, key })) !== undefined) continue;
    const keptBecause = await whyKept(name, options);
    found.push({ kind: 'branch', name, ...(keptBecause !== undefined && { keptBecause }) });
  }
  return found;
}

/**
 * Deletes a branch if it is safe to delete. Call it under the branch's lock. Returns the reason if
 * the branch was kept.
 */
export async function removeLeftoverBranch(
  name: string,
  options: LeftoverOptions,
): Promise<string | undefined> {
  const { repository, gitTimeoutMs } = options;
  const worktrees = await listWorktrees(repository, { timeoutMs: gitTimeoutMs });
  if (worktrees.some(({ branch }) => branch === name)) return 'it is checked out';
  const sha = (await gitOutput(['rev-parse', '--verify', `refs/heads/${name}`], callOf(options))).trim();
  const keptBecause = await whyKept(name, options);
  if (keptBecause !== undefined) return keptBecause;
  // Git compares the commit, so a branch that has moved is kept.
  const { exitCode, stderr } = await git(['update-ref', '-d', `refs/heads/${name}`, sha], callOf(options));
  return exitCode === 0 ? undefined : `git could not delete it: ${stderr.trim()}`;
}

/**
 * Other branches under `truecast/` are excluded. Otherwise two branches with the same commit would
 * both be deleted.
 */
async function whyKept(name: string, options: LeftoverOptions): Promise<string | undefined> {
  const { stdout, exitCode } = await git(
    [
      'rev-list',
      '--count',
      `refs/heads/${name}`,
      '--not',
      '--exclude=truecast/*',
      '--branches',
      '--tags',
      '--remotes',
      'HEAD',
    ],
    callOf(options),
  );
  if (exitCode !== 0) return 'git could not determine whether it is merged';
  const count = Number(stdout.trim());
  if (count === 0) return undefined;
  return `it contains ${count} commit${count === 1 ? '' : 's'} that ${count === 1 ? 'is' : 'are'} not merged (\`git merge ${name}\`, or \`git branch -D ${name}\`)`;
}

function callOf({ repository, gitTimeoutMs }: LeftoverOptions): GitOptions {
  return { timeoutMs: gitTimeoutMs, cwd: repository.topLevel, paths: pathsOf(repository) };
}
