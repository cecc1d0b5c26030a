/** Branch strategies: the destination of a run's commits. */

/** The agent works in the caller's checkout. */
export interface HeadBranchStrategy {
  readonly type: 'head';
}

/**
 * The agent works on a temporary branch in a separate worktree. The branch is merged into the
 * caller's branch at the end.
 */
export interface MergeToHeadBranchStrategy {
  readonly type: 'merge-to-head';
}

/** The agent works on a named branch in a worktree, which is kept for the next run on it. */
export interface NamedBranchStrategy {
  readonly type: 'branch';
  readonly branch: string;
  /** Start point of a new branch. @default `HEAD` */
  readonly baseBranch?: string;
}

/** Destination of a run's commits. */
export type BranchStrategy = HeadBranchStrategy | MergeToHeadBranchStrategy | NamedBranchStrategy;
