/** Preparation of a worktree: what was done in it before its agent. */

/** Preparation of a worktree before its agent. A clean checkout of a later commit gets it too. */
export interface WorktreePreparation {
  /** The commit that was checked out then. */
  readonly commit: string;
  /** Paths that were copied from the caller's checkout. */
  readonly copied: readonly string[];
  /** Commands that ran on the host. */
  readonly hostCommands: readonly { readonly command: string; readonly timeoutMs?: number }[];
}
