/**
 * Plan of a checked merge: the commit to which the caller's branch will move. It exists before
 * anything is merged, so that it can be checked.
 */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { mergeMessage, readMergedTree } from '../checkout/merged-tree.ts';
import { git, gitOutput, type GitOptions } from '../command/git.ts';
import { isAncestor } from './final-commit.ts';
import { notMerged, type MergeOptions } from '../worktree/merge.ts';
import { hostCall } from '../worktree/write-merge.ts';
import type { LockedWorktree } from '../worktree/worktree.ts';

/** A planned landing. Its commit differs from the tip if the caller's branch has moved. */
export type Landing = NonNullable<MergeOptions['landing']>;

/**
 * Plans the landing of a commit on the current HEAD of the caller's checkout. If that branch has
 * moved, the planned commit is a merge, made without a checkout.
 *
 * @throws RepositoryError `merge-conflict`; `check-failed` if git is too old for such a merge
 */
export async function planLanding(
  options: Pick<MergeOptions, 'worktree' | 'timeoutMs' | 'signal'>,
  tip: string,
): Promise<Landing> {
  const { worktree } = options;
  const call = await hostCall(options);
  const onto = (await gitOutput(['rev-parse', '--verify', 'HEAD^{commit}'], call)).trim();
  if (await isAncestor(worktree, { older: onto, newer: tip }, call)) return { onto, tip, commit: tip };
  if (await isAncestor(worktree, { older: tip, newer: onto }, call)) return { onto, tip, commit: onto };
  return { onto, tip, commit: await commitMerge(worktree, { onto, tip }, call) };
}

async function commitMerge(
  worktree: LockedWorktree,
  { onto, tip }: Pick<Landing, 'onto' | 'tip'>,
  call: GitOptions,
): Promise<string> {
  const { branch = 'HEAD' } = worktree;
  const { tree, conflicts } = await readMergedTree(onto, tip, call);
  if (conflicts.length > 0)
    throw notMerged(worktree, `both changed ${conflicts.map((file) => `\`${cut(file)}\``).join(', ')}`);
  if (tree === undefined)
    throw new RepositoryError(
      `\`${branch}\` was not merged: the target has moved, and this git cannot merge in memory, so the merged files cannot be checked. Update git to 2.38 or later, or merge by hand and run the check.`,
      { code: 'check-failed' },
    );
  const message = await mergeMessage(branch, tip, call);
  const signs = await git(['config', '--type=bool', '--get', 'commit.gpgsign'], call);
  const sign = signs.stdout.trim() === 'true' ? ['-S'] : [];
  const args = ['commit-tree', tree, '-p', onto, '-p', tip, ...sign, '-m', message];
  return (await gitOutput(args, call)).trim();
}
