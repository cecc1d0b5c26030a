/** Decision of the clean-up of a worker's machine: the parts of a run that it can remove. Pure. */

/** Facts of the database about a run of which something is on this machine. */
export interface LeftRunFacts {
  /** True once its receipt is stored. */
  readonly isEnded: boolean;
  /** Time since its end. 0 before. */
  readonly ageMs: number;
  /** True if another run of its branch, or one that repeats or continues it, waits or works. */
  readonly isFollowed: boolean;
  /** True if its events and artifacts were removed: by its owner, or after the kept time. */
  readonly isCleared: boolean;
  /** True if its whole log is stored as an artifact. */
  readonly hasLog: boolean;
}

/** What this machine has of a run. */
export interface LeftPlaceFacts {
  /** `stored`: an artifact has all uncommitted work. `unstored`: it can be the only place of work. */
  readonly worktree: 'none' | 'clean' | 'stored' | 'unstored';
  /**
   * Branches and base commits in the clone of an address, by the one with the worst state. `on_remote`: the remote has
   * the commit now. `pushed`: the remote had it. `unpushed`: this machine can be its only place.
   */
  readonly references: 'none' | 'on_remote' | 'pushed' | 'unpushed';
}

/** Parts that can be removed. */
export interface CleanUp {
  readonly worktree: boolean;
  readonly references: boolean;
  readonly log: boolean;
  /** The record is the last: it leads to the others. */
  readonly record: boolean;
}

/** Time in which a person can look at a failed run on the machine itself. */
const DAY_MS = 86_400_000;
const NOTHING: CleanUp = { worktree: false, references: false, log: false, record: false };

/** Returns true if anything of a run can be removed, as far as the database knows. */
export function isDue(
  { isEnded, isFollowed, ageMs, isCleared }: LeftRunFacts,
  { keepMs }: { readonly keepMs: number },
): boolean {
  return isEnded && !isFollowed && (isCleared || ageMs >= Math.min(DAY_MS, keepMs));
}

/**
 * Decides for one run. A commit that the remote never had stays, and so does uncommitted work that no artifact has:
 * no age removes them.
 */
export function decideCleanUp(
  run: LeftRunFacts,
  { worktree, references }: LeftPlaceFacts,
  settings: { readonly keepMs: number },
): CleanUp {
  if (!isDue(run, settings)) return NOTHING;
  const isOld = run.ageMs >= Math.min(DAY_MS, settings.keepMs);
  const isKeptTimeOver = run.ageMs >= settings.keepMs;
  const log = run.isCleared || run.hasLog || isKeptTimeOver;
  const isPlaceOfWork = worktree === 'unstored';
  const isWorktreeFree = worktree === 'none' || (isOld && !isPlaceOfWork);
  // A branch that is checked out cannot be removed.
  const isFree =
    isWorktreeFree &&
    (references === 'none' ||
      (references === 'on_remote' && isOld) ||
      (references === 'pushed' && isKeptTimeOver));
  return {
    worktree: worktree !== 'none' && isWorktreeFree,
    references: references !== 'none' && isFree,
    log,
    record: log && isFree,
  };
}
