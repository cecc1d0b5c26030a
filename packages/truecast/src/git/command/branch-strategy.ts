/** Branch strategies: the destination of a run's commits. */
import type { TreeCheck } from './tree-check.ts';

/** The agent works in the caller's checkout. */
export interface HeadBranchStrategy {
  readonly type: 'head';
  /**
   * Paths that the agent can edit although they run code on the host, such as `.vscode/`. Others,
   * such as `.husky/` and `.mcp.json`, are read-only in a sandbox on this machine. @default []
   */
  readonly editablePaths?: readonly string[];
}

/**
 * The agent works on a temporary branch in a separate worktree. The branch is merged into the
 * caller's branch at the end.
 */
export interface MergeToHeadBranchStrategy {
  readonly type: 'merge-to-head';
  /** Prefix of the temporary branch's name. @default 'truecast' */
  readonly branchPrefix?: string;
  /**
   * Temporary branch to continue, such as that of a run that ended with a question. All of its
   * commits are merged. @default a new branch
   */
  readonly branch?: string;
  /**
   * Runs on the merged files before they land: in a new sandbox like that of the run, on a clean
   * checkout of exactly the commit that would land. Returns undefined to accept it, or the reason why it
   * must not land. The run then fails with `check-failed`, and the branch is kept. Checked merges into
   * one branch wait for each other. @default none
   */
  readonly check?: TreeCheck;
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

/** Branch strategies of a sandbox that mounts the worktree. @public */
export type BindMountBranchStrategy = BranchStrategy;

/** Branch strategies of a sandbox on another machine. It never works in the caller's checkout. @public */
export type IsolatedBranchStrategy = MergeToHeadBranchStrategy | NamedBranchStrategy;

/** All branch strategies: without a sandbox, each one is possible. @public */
export type NoSandboxBranchStrategy = BranchStrategy;
