/** Worktree that outlives its runs: each run's view of it, and its removal on close. */
import type { CloseResult } from '../options/sandbox-options.ts';
import { git, gitFailed, type GitCallOptions } from '../../git/command/git.ts';
import { markStart } from '../../git/recovered/start-marks.ts';
import { removeWorktree } from '../../git/worktree/remove-worktree.ts';
import { pathsOf, type Repository } from '../../git/repository/repository.ts';
import { worktreePaths, type LockedWorktree } from '../../git/worktree/worktree.ts';
import { settleSuccess } from '../settle/settle-run.ts';
import { gitCallOf } from '../context/run-context.ts';
import { enterSandbox } from './enter-sandbox.ts';
import { closeSandbox, openSandbox } from './open-sandbox.ts';
import type { RunPlace } from './run-place.ts';

/** Returns the next run's view of a kept worktree. Existing commits do not belong to that run. */
export async function seenByRun(
  worktree: LockedWorktree,
  repository: Repository,
  options: GitCallOptions,
): Promise<LockedWorktree> {
  const args = ['rev-parse', '--verify', 'HEAD^{commit}'];
  const head = await git(args, { ...options, cwd: worktree.path, paths: worktreePaths(worktree) });
  if (head.exitCode !== 0) throw gitFailed(args, head, worktree.path);
  const baseSha = head.stdout.trim();
  return {
    ...worktree,
    baseSha,
    isNewBranch: worktree.isNewBranch && worktree.baseSha === baseSha,
    marks: markStart({ ...worktree, hostBranch: worktree.repository.branch }),
    // Merges go to the branch that the worktree came from, even if the caller has checked out
    // another one.
    repository: { ...repository, branch: worktree.repository.branch },
  };
}

/**
 * Closes a kept worktree and releases its lock. Removes a clean worktree that was created here, and
 * a merged temporary branch.
 */
export async function closeWorktree(worktree: LockedWorktree, timeoutMs: number): Promise<CloseResult> {
  try {
    const { isRemoved, isDirty } = await removeWorktree(worktree, { timeoutMs });
    if (isRemoved && worktree.strategy.type === 'merge-to-head') {
      await deleteMergedBranch(worktree, timeoutMs);
    }
    return isDirty ? { preservedWorktreePath: worktree.path } : {};
  } finally {
    await worktree.lock.release();
  }
}

/** A branch with unmerged work is kept. */
async function deleteMergedBranch({ branch, repository }: LockedWorktree, timeoutMs: number): Promise<void> {
  if (branch === undefined || repository.branch === undefined) return;
  const call = { timeoutMs, cwd: repository.topLevel, paths: pathsOf(repository) };
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], call);
  const sha = tip.stdout.trim();
  if (tip.exitCode !== 0) return;
  const merged = await git(['merge-base', '--is-ancestor', sha, `refs/heads/${repository.branch}`], call);
  if (merged.exitCode === 0) await git(['update-ref', '-d', `refs/heads/${branch}`, sha], call);
}

export function keptWorktreePlace(kept: LockedWorktree): RunPlace {
  return {
    async open(context, { repository, environment, readonlyPaths, egress, modelAccess }) {
      const { agent, sandbox, usesServer } = context.options;
      const worktree = await seenByRun(kept, repository, gitCallOf(context));
      const env =
        sandbox.tag === 'none' ? environment.inside : { ...agent.sandboxEnv, ...environment.inside };
      const opened = await openSandbox(context, {
        sandbox,
        worktree,
        env,
        readonlyPaths,
        egress,
        modelAccess,
        hasFinalizerFolder: usesServer,
      });
      try {
        return await enterSandbox(context, opened, { agentEnv: {}, closesSandbox: true });
      } catch (error) {
        await closeSandbox(opened);
        throw error;
      }
    },
    settle: (context, known) => settleSuccess(context, { ...known, keepsBranch: true, keepsWorktree: true }),
    leave: () => Promise.resolve(),
  };
}
