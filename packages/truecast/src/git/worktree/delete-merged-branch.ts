/** Deletion of a branch after its merge. */
import { cut } from '@truecast/core/internal/kit/describe-value';
import { git } from '../command/git.ts';
import { waitingGit, type WaitingGit } from '../command/waiting-git.ts';
import type { MergeToHeadOptions, MergeOutcome } from './merge.ts';
import { hostCall } from './write-merge.ts';
import { worktreePaths, type LockedWorktree } from './worktree.ts';

/** Creates the call that deletes the references in its input. */
export async function branchDeletion(
  options: Pick<MergeToHeadOptions, 'worktree' | 'timeoutMs'>,
): Promise<WaitingGit> {
  return waitingGit(['update-ref', '--stdin'], await hostCall(options));
}

export interface DeleteMergedBranchOptions extends Pick<MergeToHeadOptions, 'timeoutMs' | 'onWarning'> {
  readonly worktree: LockedWorktree;
  /** A `branchDeletion` that can have started. @default a new one */
  readonly deletion?: WaitingGit;
  /** False for a kept worktree. It stays on the same commit, with HEAD detached. */
  readonly isWorktreeGone: boolean;
}

/**
 * Deletes a merged branch, unless it has moved. A failure is only a warning, because the work is
 * merged.
 */
export async function deleteMergedBranch(
  { tip, isAttached }: MergeOutcome,
  { isWorktreeGone, ...options }: DeleteMergedBranchOptions,
): Promise<void> {
  const { branch } = options.worktree;
  if (branch === undefined) return;
  const call = await hostCall(options);
  const detached =
    isAttached && !isWorktreeGone
      ? await git(['update-ref', '--no-deref', 'HEAD', tip], {
          ...call,
          paths: worktreePaths(options.worktree),
        })
      : undefined;
  const deletion = options.deletion ?? (await branchDeletion(options));
  const deleted = await deletion.run(`delete refs/heads/${branch} ${tip}\n`);
  const failed = [detached, deleted].find((result) => result !== undefined && result.exitCode !== 0);
  if (failed === undefined) return;
  options.onWarning(
    `The merged branch \`${branch}\` could not be deleted: ${cut(failed.stderr.trim())} Delete it with \`git branch -D ${branch}\`.`,
  );
}
