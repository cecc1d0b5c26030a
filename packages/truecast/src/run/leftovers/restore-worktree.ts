/** Restores the uncommitted work of an ended run in a worktree of its branch, where the next run finds it. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { git, type GitCallOptions } from '../../git/command/git.ts';
import type { Repository } from '../../git/repository/repository.ts';
import { lockWorktree, worktreePaths } from '../../git/worktree/worktree.ts';
import { makeTemporaryFolder, removeTree } from '../../process/temporary-folder.ts';

export interface RestoredWork extends GitCallOptions {
  readonly repository: Repository;
  /** A branch that exists. */
  readonly branch: string;
  /** Patch of `patchOfWorktree()`. */
  readonly patch: Uint8Array;
  /** True if an earlier call can have been killed before it applied the patch. */
  readonly isAgain: boolean;
}

/**
 * Creates the worktree and applies the patch. No filter runs. A worktree that is there stays as it is.
 *
 * @returns why git did not apply the patch, such as after a commit on the branch. Undefined otherwise
 * @throws RepositoryError `locked`, and the other errors of a new worktree
 */
export async function restoreWorktree({
  repository,
  branch,
  patch,
  isAgain,
  ...call
}: RestoredWork): Promise<string | undefined> {
  const worktree = await lockWorktree({
    ...call,
    repository,
    branchStrategy: { type: 'branch', branch },
    command: 'restore uncommitted work',
    now: new Date(),
    onWarning: () => undefined,
  });
  try {
    if (worktree.isReused && (worktree.wasDirty || !isAgain)) return undefined;
    const folder = await makeTemporaryFolder('patch');
    try {
      const file = join(folder, 'patch');
      await writeFile(file, patch);
      const { neutralFilters: config } = await repository.trustedConfig();
      const options = { ...call, cwd: worktree.path, paths: worktreePaths(worktree), config };
      const { exitCode, stderr } = await git(['apply', '--whitespace=nowarn', file], options);
      return exitCode === 0 ? undefined : cut(stderr.trim());
    } finally {
      await removeTree(folder);
    }
  } finally {
    await worktree.lock.release();
  }
}
