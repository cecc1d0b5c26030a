/** Worktrees of killed read-only batches: removed by the next run of the repository. */
import { basename, dirname } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { isTemporaryBranch, worktreeLockKey } from '../../git/command/branch-name.ts';
import { git, gitOutput, type GitCallOptions } from '../../git/command/git.ts';
import { acquireLock, readLockHolder } from '../../git/command/lock.ts';
import { isThere } from '../../git/command/quarantine.ts';
import { headsSince } from '../../git/recovered/head-log.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { readOwner } from '../../git/checkout/lock-reason.ts';
import { isUnfinished } from '../../git/worktree/other-work.ts';
import { readStatus } from '../../git/worktree/status.ts';
import { worktreeCommand, listAdminDirectories } from '../../git/worktree/worktree-list.ts';
import { listStores } from '../../guest-git/guest-git.ts';
import { findProcessIn } from '../../process/process-in-folder.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { worktreesFolder } from '../../support/truecast-folder.ts';

const MAX_HEADS = 100;

/**
 * Removes the read-only worktrees whose process is dead, with their branches. One that contains
 * files or commits is kept for `truecast clean`, and so is one that cannot be inspected.
 */
export async function removeReadOnlyWorktrees(
  repository: Repository,
  options: GitCallOptions,
): Promise<void> {
  const { commonDir } = repository;
  const folder = worktreesFolder(repository.mainTopLevel);
  for (const { gitDir, gitFile } of await listAdminDirectories(commonDir)) {
    const path = dirname(gitFile);
    if (!isPathWithin(folder, path) || !readOwner(gitDir).isReadOnly) continue;
    const key = worktreeLockKey(basename(path));
    if ((await readLockHolder({ commonDir, key })) !== undefined) continue;
    try {
      await removeUnderLock(repository, { path, gitDir, key }, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // Another run is faster, or git cannot read the worktree. `truecast clean` tells why it stays.
      if (!RepositoryError.isInstance(error)) throw error;
    }
  }
}

interface Left {
  readonly path: string;
  readonly gitDir: string;
  readonly key: string;
}

async function removeUnderLock(
  repository: Repository,
  { path, gitDir, key }: Left,
  options: GitCallOptions,
): Promise<void> {
  const { commonDir } = repository;
  const subject = `The worktree \`${path}\``;
  const lock = await acquireLock({
    commonDir,
    key,
    subject,
    command: 'remove a read-only worktree',
    now: new Date(),
  });
  try {
    // Another run can have removed it since, or can use it again.
    if (!readOwner(gitDir).isReadOnly) return;
    const unused = await findUnusedBranch(repository, { path, gitDir }, options);
    if (unused === undefined) return;
    const args = ['remove', '--force', '--force', path];
    if ((await worktreeCommand(repository, args, options)).exitCode !== 0) return;
    // Git compares the commit, so a branch that has moved is kept.
    await git(['update-ref', '-d', `refs/heads/${unused.branch}`, unused.sha], {
      ...options,
      cwd: repository.topLevel,
      paths: pathsOf(repository),
    });
  } finally {
    await lock.release();
  }
}

/** Returns the worktree's branch, or undefined if there is any work, or a process in its folder. */
async function findUnusedBranch(
  repository: Repository,
  { path, gitDir }: Omit<Left, 'key'>,
  options: GitCallOptions,
): Promise<{ readonly branch: string; readonly sha: string } | undefined> {
  const { commonDir, trustedConfig, headSha: trustedCommit } = repository;
  if (!(await isThere(path)) || isUnfinished(gitDir)) return undefined;
  if ((await findProcessIn(path)) !== undefined) return undefined;
  // A guest's commits that the host has not received.
  if (listStores(commonDir).some(({ worktreePath }) => worktreePath === path)) return undefined;
  const paths = { gitDir, commonDir, workTree: path };
  const { isDirty, branch, headSha } = await readStatus({ paths, trustedCommit, trustedConfig }, options);
  if (isDirty || headSha === undefined || branch === undefined || !isTemporaryBranch(branch)) {
    return undefined;
  }
  const heads = headsSince(gitDir, { size: 0, tail: '' });
  // A command line has a limit. A reader's HEAD moves seldom.
  if (heads.size > MAX_HEADS) return undefined;
  const others = ['--exclude=truecast/*', '--branches', '--tags', '--remotes', 'HEAD'];
  const unknown = await gitOutput(['rev-list', '--max-count=1', ...heads, headSha, '--not', ...others], {
    ...options,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
  return unknown.trim() === '' ? { branch, sha: headSha } : undefined;
}
