/** Owns where a run's commits go. */

/** The agent works in the checkout that the caller stands in. */
export interface HeadBranchStrategy {
  readonly type: 'head';
}

/** The agent works on a temporary branch in a worktree of its own, merged into the caller's branch at the end. */
export interface MergeToHeadBranchStrategy {
  readonly type: 'merge-to-head';
}

/** The agent works on a named branch in a worktree, which is kept for the next run on it. */
export interface NamedBranchStrategy {
  readonly type: 'branch';
  readonly branch: string;
  /** Where a branch that does not exist yet begins. @default `HEAD` */
  readonly baseBranch?: string;
}

/** Where a run's commits go. */
export type BranchStrategy = HeadBranchStrategy | MergeToHeadBranchStrategy | NamedBranchStrategy;
