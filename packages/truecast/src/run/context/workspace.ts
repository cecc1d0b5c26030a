/** Port to the workspace where one run's agent works. */
import type { Attached } from '../attachments/attachment-folder.ts';
import type { Attachment } from '../attachments/attachment.ts';
import type { FinalizerFolder } from '../finalizer/finalizer-folder.ts';
import type { WorktreeSnapshot } from '../../git/worktree/verify.ts';
import type { LockedWorktree } from '../../git/worktree/worktree.ts';
import type { DecidedEgress } from '../options/decide-egress.ts';
import type { PlaceSettings } from '../options/place-options.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { WorkReview } from '../review/work-review.ts';
import type { OwnGitHandle, HandedOverTip } from '../../ports/own-git.ts';
import type { GitResult } from '../../git/command/git.ts';
import type { TipRead } from '../../git/command/tip-read.ts';

/** How a sandbox was started, so that another one like it can be started. */
export interface SandboxOpening extends DecidedEgress {
  readonly settings: PlaceSettings;
  readonly sandbox: SandboxProvider;
  readonly env: Readonly<Record<string, string>>;
  readonly readonlyPaths: readonly string[];
}

/** A worktree with a sandbox around it, for one run. */
export interface RunWorkspace {
  readonly worktree: LockedWorktree;
  /** The worktree on the host. */
  readonly worktreePath: string;
  readonly handle: OwnGitHandle;
  /**
   * State of the files that could run code on the host, before the agent ran. Undefined if the
   * agent runs on the host anyway.
   */
  readonly snapshot: WorktreeSnapshot | undefined;
  /** Reviews the agent's changes that programs of the host would run. */
  readonly review: WorkReview;
  /** How the sandbox was started, for the verification of a commit. */
  readonly opening: SandboxOpening;
  /**
   * Host folder shared with the sandbox, for the sockets through which an agent submits its answer.
   * Undefined if it was not requested.
   */
  readonly finalizerFolder: FinalizerFolder | undefined;
  /** Reads of the hand-over, for a run with its own sandbox. */
  readonly reads?: TipReads | undefined;
  /** Environment of the agent's commands, besides the sandbox's environment. */
  readonly agentEnv: Readonly<Record<string, string>>;
  /**
   * Copies files into the agent's worktree until the workspace is closed.
   *
   * @throws UsageError `invalid-attachment`; SandboxError `copy`
   */
  attach(attachments: readonly Attachment[]): Promise<Attached>;
  /** Writes a file for the agent's program and returns its path inside the sandbox. */
  writeTemporaryFile(name: string, content: string): Promise<string>;
  /**
   * Copies a session to the host's store and returns its path there. A failure is a warning,
   * because the work is done, or is copied again later.
   */
  captureSession(sessionId: string, warn?: (message: string) => void): Promise<string | undefined>;
  /**
   * Copies changes made inside to the host's worktree, if the sandbox does not share it. Throws the
   * errors of the handle's `syncOut`.
   */
  syncOut(): Promise<void>;
  /**
   * Copies changes to the host, calls `onCopied`, and ends everything that this run started inside,
   * including its own sandbox. The worktree and its lock are kept.
   */
  close(onCopied?: () => void): Promise<void>;
}

/** Reads of one run, and their last results. */
export interface TipReads {
  /** Commands for the sandbox. */
  readonly commands: readonly TipRead[];
  /** Replaces the results by those of a new tip. */
  keep(tip: HandedOverTip): void;
  /** List of the commits. Undefined if the sandbox has not read it. */
  readonly listing: GitResult | undefined;
  /** Comparison with the base. Undefined as well if a merge follows, which compares other commits. */
  readonly comparison: GitResult | undefined;
}

/** Creates the reads without results. */
export function createTipReads(listing: TipRead, comparison: TipRead | undefined): TipReads {
  let results: readonly GitResult[] = [];
  return {
    commands: comparison === undefined ? [listing] : [listing, comparison],
    keep({ reads }) {
      results = reads;
    },
    get listing() {
      return results[0];
    },
    get comparison() {
      return results[1];
    },
  };
}
