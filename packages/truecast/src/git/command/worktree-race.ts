/** Worktree races: failures of git because another process adds or removes a worktree at the same time. Pure. */

/** Tries of a call, and the pause between two. An incomplete or broken directory can also stay. */
export const RACE_TRIES = 20;
export const RACE_PAUSE_MS = 25;

/**
 * Git reads the directories of all worktrees for many commands, also for one that changes none of them. It fails if
 * one of them is not complete yet, or is removed after git has read its name (git 2.39).
 */
const RACE =
  /^fatal: (?:failed to read .*\/worktrees\/.*\/commondir|Invalid path '.*\/worktrees\/[^/]*': No such file)/mu;

/**
 * Returns true if the call failed by such a race and changed nothing. `worktree add -b` can have created its branch: see
 * `add-worktree.ts`.
 */
export function isWorktreeRace(
  args: readonly string[],
  failed: { readonly exitCode: number; readonly stderr: string },
): boolean {
  const createsBranch = args[0] === 'worktree' && args.includes('-b');
  return failed.exitCode !== 0 && RACE.test(failed.stderr) && !createsBranch;
}
