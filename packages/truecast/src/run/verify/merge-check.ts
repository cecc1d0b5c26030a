/** Check of the branch strategy: runs on the commits that would land. */
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { RunContext } from '../context/run-context.ts';
import type { RunWorkspace } from '../context/workspace.ts';
import type { CommitCheck } from '../settle/land-checked.ts';
import { verifyTree } from './verify-tree.ts';

/** Work that is about to be merged. */
export interface MergeCheckOptions extends Pick<RunContext, 'signal' | 'warn'> {
  readonly branchStrategy: BranchStrategy;
  readonly workspace: Pick<RunWorkspace, 'worktree' | 'opening'>;
}

/** Returns the check. Undefined if the strategy has none. */
export function mergeCheckOf({
  branchStrategy,
  workspace: { worktree, opening },
  signal,
  warn,
}: MergeCheckOptions): CommitCheck | undefined {
  if (branchStrategy.type !== 'merge-to-head' || branchStrategy.check === undefined) return undefined;
  const { check } = branchStrategy;
  const { repository, preparation } = worktree;
  return (commit) => verifyTree({ repository, commit, opening, preparation, signal, warn, check });
}
