/**
 * Interface between a run and the built-in sandboxes for the git directory of a guest. A custom provider
 * does not see it.
 */
import type { RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { ConfigEntry } from '../git/command/config-entries.ts';
import type { GitResult } from '../git/command/git.ts';
import type { HostProcess } from '../process/process-tree.ts';
import type { TipRead } from '../git/command/tip-read.ts';
import type {
  SandboxCreateOptions,
  SandboxExecOptions,
  SandboxHandle,
  WorktreeGitPaths,
} from './sandbox-provider.ts';

/** A completed step of a hand-over. A kill after any of them loses nothing. */
export type HandOverStep = 'received' | 'admitted' | 'moved' | 'indexed' | 'recorded';

/** Result of a hand-over of a sandbox's git directory. */
export interface GitHandOver {
  /** Work outside of the run's branch, with its new place. */
  readonly recovered: readonly RecoveredRef[];
  readonly warnings: readonly string[];
  /** Commits that the guest created since the last hand-over. Absent if the sandbox does not know them. */
  readonly made?: readonly string[] | undefined;
  /** The new tip of the run's branch, if this hand-over moved the branch. */
  readonly tip?: HandedOverTip | undefined;
}

export interface HandedOverTip {
  readonly sha: string;
  /** Results of the `tipReads`, in their order. Empty if one failed. */
  readonly reads: readonly GitResult[];
}

/** Options of a command whose process the run must know. */
export interface OwnExecOptions extends SandboxExecOptions {
  /** Called when the command has started, by a sandbox whose commands outlive a killed host. */
  readonly onHostProcess?: ((started: HostProcess) => void) | undefined;
}

/** Handle of a sandbox that can have a separate git directory. */
export interface OwnGitHandle extends SandboxHandle {
  /** Host folder of HOME, if it outlives a killed process of the host. */
  readonly hostHomePath?: string;
  /**
   * Imports the work from the sandbox's own git directory: checked objects, the run's branch, the
   * index. Present if the sandbox has one. Call it while no process of the agent runs. Without a
   * command since the last call it does nothing.
   *
   * @throws SandboxError `sync`: no reference moved, and the message names the folder with the work
   */
  handOver?(): Promise<GitHandOver>;
}

/** Git paths of the worktree, and facts of its repository that a run has already read. */
export interface KnownGit extends WorktreeGitPaths {
  /** Git's configuration, if it was read before and cannot have changed. */
  readonly configEntries?: readonly ConfigEntry[];
  /**
   * Names and ids of the references that a guest sees, if their listing has started. @default
   * listed at the start
   */
  readonly references?: Promise<ReadonlyMap<string, string>>;
  /**
   * Folder of a git store that an earlier run left behind with work in it. The work is imported.
   */
  readonly recoveredStore?: string;
  /**
   * Reads of a new tip of the branch. A sandbox can run them while it checks the tip's objects.
   */
  readonly tipReads?: readonly TipRead[];
  /** Called after each step of a hand-over. */
  readonly onHandOverStep?: (step: HandOverStep) => void;
}

/**
 * Content sent to a sandbox without shared files, in addition to the branch and the files that git
 * would commit.
 */
export interface SentBeside {
  /** Branches of the host that are available inside too. */
  readonly branches: readonly string[];
  /** Files and folders of the worktree, relative to it, that git ignores. */
  readonly paths: readonly string[];
}

/** Inputs of a sandbox of Truecast. Other providers use a part of them. */
export interface OwnGitCreateOptions extends SandboxCreateOptions {
  readonly git?: KnownGit;
  /** Content for a sandbox without shared files, in addition to the worktree's own branch. */
  readonly sends?: SentBeside;
  /**
   * Host folder of the HOME of a sandbox whose process was killed. It is shown as HOME, without a network,
   * and is kept.
   */
  readonly recoveredHome?: string | undefined;
}
