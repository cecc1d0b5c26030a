/** Owns a worktree that outlives its runs: how each run sees it, and what becomes of it when it is closed. */
import { git, gitFailed, type GitCallOptions } from '../git/git.ts';
import { removeWorktree } from '../git/remove-worktree.ts';
import { pathsOf, type Repository } from '../git/repository.ts';
import { worktreePaths, type Worktree } from '../git/worktree.ts';

/** What closing a place left behind. */
export interface CloseResult {
  /** The worktree, kept because it holds uncommitted work. */
  readonly preservedWorktreePath?: string;
}

/** Sees a kept worktree as the next run does: what is committed until now is nobody's work in it. */
export async function seenByRun(
  worktree: Worktree,
  repository: Repository,
  options: GitCallOptions,
): Promise<Worktree> {
  const args = ['rev-parse', '--verify', 'HEAD^{commit}'];
  const head = await git(args, { ...options, cwd: worktree.path, paths: worktreePaths(worktree) });
  if (head.exitCode !== 0) throw gitFailed(args, head, worktree.path);
  return {
    ...worktree,
    baseSha: head.stdout.trim(),
    // Merges go where the worktree came from, not where the caller has gone since.
    repository: { ...repository, branch: worktree.repository.branch },
  };
}

/** Closes a kept worktree: it goes when it is clean and was made here; a merged temporary branch goes with it. Its lock is released. */
export async function closeWorktree(worktree: Worktree, timeoutMs: number): Promise<CloseResult> {
  try {
    const { isRemoved, isDirty } = await removeWorktree(worktree, { timeoutMs });
    if (isRemoved && worktree.strategy.type === 'merge-to-head')
      await deleteMergedBranch(worktree, timeoutMs);
    return isDirty ? { preservedWorktreePath: worktree.path } : {};
  } finally {
    await worktree.lock.release();
  }
}

/** A branch with work that its target does not hold stays. */
async function deleteMergedBranch({ branch, repository }: Worktree, timeoutMs: number): Promise<void> {
  if (branch === undefined || repository.branch === undefined) return;
  const call = { timeoutMs, cwd: repository.topLevel, paths: pathsOf(repository) };
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`], call);
  const sha = tip.stdout.trim();
  if (tip.exitCode !== 0) return;
  const merged = await git(['merge-base', '--is-ancestor', sha, `refs/heads/${repository.branch}`], call);
  if (merged.exitCode === 0) await git(['update-ref', '-d', `refs/heads/${branch}`, sha], call);
}
