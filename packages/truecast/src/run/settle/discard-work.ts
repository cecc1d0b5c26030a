/** End of a read-only run: everything that its agent wrote is thrown away, whatever the result. */
import { randomBytes } from 'node:crypto';
import { findHostMoves, keepHostMoves } from '../../git/recovered/host-moves.ts';
import { readStash } from '../../git/recovered/stash-entries.ts';
import { verifyWithWarnings } from '../../git/worktree/verify.ts';
import { worktreePaths } from '../../git/worktree/worktree.ts';
import type { SettledContext } from '../context/run-context.ts';
import { throwAway } from '../prepare/read-only-worktrees.ts';
import type { Settled } from './settle-run.ts';

/** Nothing of a read-only run is settled. */
export const NO_WORK: Settled = {
  commits: [],
  branch: 'HEAD',
  preservedWorktreePath: undefined,
  sensitiveChanges: [],
};

/** The part that a run and a kept sandbox have. */
export type DiscardedContext = Pick<SettledContext, 'warn'> & {
  readonly options: Pick<SettledContext['options'], 'timeouts'>;
  readonly workspace: Pick<SettledContext['workspace'], 'worktree' | 'snapshot'>;
};

/**
 * Removes the worktree with all work. A worktree that cannot be removed is a warning, and the next run
 * in the repository tries again.
 */
export async function discardWork(context: DiscardedContext): Promise<void> {
  const { options, warn } = context;
  const { worktree } = context.workspace;
  await verifyDiscarded(context);
  await reportMoves(context);
  const call = { timeoutMs: options.timeouts.gitSetupMs };
  await throwAway(worktree.repository, worktree, call).catch((error: unknown) => {
    warn(error instanceof Error ? error.message : String(error));
  });
}

/** Restores what the guest could have planted for git on the host. Runs before any git call. */
export async function verifyDiscarded({ options, workspace, warn }: DiscardedContext): Promise<void> {
  await verifyWithWarnings(workspace.snapshot, { timeoutMs: options.timeouts.commitCollectionMs, warn });
}

/**
 * An agent without a sandbox can move the caller's branch, and add to the stash. The caller's commits and
 * stash are not touched.
 */
async function reportMoves({ options, workspace, warn }: DiscardedContext): Promise<void> {
  const { worktree, snapshot } = workspace;
  if (snapshot?.hasOwnGit === true) return;
  const { gitDir, commonDir, marks } = worktree;
  const added = readStash(commonDir).filter(({ sha }) => !marks.stash.has(sha));
  if (added.length > 0) {
    warn(
      `While the agent worked, the stash got ${added.length} entries. If they are not yours, the agent has added them. List them with \`git stash list\`.`,
    );
  }
  const moves = findHostMoves(worktree);
  if (moves.length === 0) return;
  const call = {
    timeoutMs: options.timeouts.commitCollectionMs,
    cwd: worktree.repository.topLevel,
    paths: worktreePaths(worktree),
  };
  const id = randomBytes(6).toString('hex');
  const { warnings } = await keepHostMoves(moves, { id, gitDir, marks }, call);
  warnings.forEach(warn);
}
