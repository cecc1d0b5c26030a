/**
 * Worktrees of read-only runs: thrown away with all that is in them. The next run of the repository does
 * it for those of killed processes.
 */
import { basename, dirname } from 'node:path';
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { worktreeLockKey } from '../../git/command/branch-name.ts';
import { git, gitOutput, type GitCallOptions, type GitOptions } from '../../git/command/git.ts';
import { failedCall } from '../../git/command/git-failure.ts';
import { acquireLock, readLockHolder } from '../../git/command/lock.ts';
import { isThere } from '../../git/command/quarantine.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { readOwner } from '../../git/checkout/lock-reason.ts';
import { findOwnBranches, type OwnBranches } from '../../git/worktree/own-branches.ts';
import { endLeftAgents } from '../../git/command/left-agents.ts';
import { removeWithFiles } from '../../git/worktree/remove-worktree.ts';
import { listAdminDirectories } from '../../git/checkout/admin-directories.ts';
import { removeGuestStores } from '../../guest-git/guest-git.ts';
import { findProcessIn } from '../../process/process-in-folder.ts';
import { isPathWithin } from '../../support/path-within.ts';
import { worktreesFolder } from '../../support/truecast-folder.ts';

/**
 * Throws away the read-only worktrees whose process is dead. One in which a program still works is kept
 * for the next run, and so is one that cannot be removed.
 */
export async function removeReadOnlyWorktrees(
  repository: Repository,
  options: GitCallOptions,
): Promise<void> {
  const { commonDir } = repository;
  const folder = worktreesFolder(repository.mainTopLevel);
  for (const { gitDir, gitFile } of await listAdminDirectories(commonDir)) {
    const path = dirname(gitFile);
    if (!isPathWithin(folder, path) || !readOwner(gitDir).isThrownAway) continue;
    const key = worktreeLockKey(basename(path));
    if ((await readLockHolder({ commonDir, key })) !== undefined) continue;
    try {
      await removeUnderLock(repository, { path, gitDir, key }, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      // Another run is faster, or git cannot remove the worktree. `truecast clean` prints the reason.
      if (!RepositoryError.isInstance(error)) throw error;
    }
  }
}

async function removeUnderLock(
  repository: Repository,
  { path, gitDir, key }: ReadOnlyWorktree & { readonly key: string },
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
    if (!readOwner(gitDir).isThrownAway) return;
    // Without a sandbox, the agent of a killed run still works there.
    await endLeftAgents(lock);
    if ((await findProcessIn(path)) !== undefined) return;
    await throwAway(repository, { path, gitDir }, options);
  } finally {
    await lock.release();
  }
}

/** A worktree that was created for a run that only reads. */
export interface ReadOnlyWorktree {
  readonly path: string;
  readonly gitDir: string;
}

/**
 * Removes a read-only worktree with its files and its guest's git store, and deletes its branch and the
 * branches that its agent created at its HEAD. Call it under the worktree's lock, after its sandbox is
 * closed.
 *
 * @throws RepositoryError if the worktree could not be removed
 */
export async function throwAway(
  repository: Repository,
  { path, gitDir }: ReadOnlyWorktree,
  options: GitCallOptions,
): Promise<void> {
  const { commonDir } = repository;
  const branches = findOwnBranches({ path, gitDir }, repository.references);
  await removeGuestStores(commonDir, gitDir);
  const { exitCode, stderr } = await removeWithFiles(repository, path, options);
  if (exitCode !== 0 && (await isThere(gitDir))) throw notRemoved(path, stderr);
  await deleteBranches(branches, {
    ...options,
    cwd: repository.topLevel,
    paths: pathsOf(repository),
  });
}

/** A branch whose tip was never the HEAD of the worktree has commits of others, and is kept. */
async function deleteBranches({ own, made, heads }: OwnBranches, call: GitOptions): Promise<void> {
  const remove = async (...args: readonly string[]): Promise<void> => {
    await git(['update-ref', '-d', ...args], call);
  };
  for (const name of own) await remove(`refs/heads/${name}`);
  if (made.length === 0) return;
  const names = made.map((name) => `refs/heads/${name}`);
  const listed = await gitOutput(['for-each-ref', '--format=%(objectname) %(refname)', ...names], call);
  for (const line of listed.split('\n')) {
    const [sha = '', name = ''] = line.split(' ');
    // Git compares the tip again.
    if (names.includes(name) && heads.has(sha)) await remove(name, sha);
  }
}

function notRemoved(path: string, stderr: string): RepositoryError {
  const what = `The read-only worktree \`${path}\` could not be removed: ${stderr.trim()}`;
  return failedCall(what, 'Run `truecast clean`.', { stderr });
}
