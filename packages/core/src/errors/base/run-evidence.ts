/**
 * Evidence that an agent leaves behind, and the base class of every error that carries it, so that
 * no work is lost. Pure.
 */
import { brand, isBranded, TruecastError } from './truecast-error.ts';
import type { Usage } from '../../kit/usage.ts';

/**
 * The kind of program that runs the code: git, an editor, an agent CLI, Truecast itself, or a shell
 * with the tools it starts.
 */
export type RunsAt = 'git' | 'editor' | 'agent' | 'truecast' | 'shell';

/** Why a path runs code. Stable codes. */
export type SensitiveReason =
  /** A `.git` folder, file or link below the checkout. */
  | 'nested-repository'
  /** A folder with `HEAD`, `objects` and `refs`: git takes it for a repository when started inside. */
  | 'bare-repository'
  /**
   * A new commit entry without its own files (a submodule, or a nested repository that was added).
   */
  | 'gitlink'
  /** A file below `core.hooksPath`, or the configuration of a hook manager. */
  | 'hook'
  /** A file that git's configuration or an installed hook names as a program. */
  | 'configured-program'
  /** A file that git's configuration includes. */
  | 'git-config'
  /** A line of `.gitattributes` that activates a driver of git's configuration. */
  | 'attributes-driver'
  | 'git-modules'
  | 'lfs-config'
  /** A rebase, sequencer or merge state in the git directory. */
  | 'unfinished-operation'
  /**
   * A name that only Truecast and its user write, such as `.truecast/.env`, or a link at or below
   * `.truecast`.
   */
  | 'reserved-name'
  | 'agent-settings'
  /** A file that Truecast executes or takes settings from, such as `truecast.config.ts`. */
  | 'truecast-settings'
  /** A folder of another version control system, such as `.hg`, whose settings name programs. */
  | 'foreign-repository'
  | 'editor-settings'
  | 'shell-startup'
  | 'package-manager-settings'
  /** The change could not be reviewed completely: too many entries, or a tree that git cannot read. */
  | 'not-reviewed';

/** A path that an agent changed and that runs code on the host later. */
export interface SensitiveChange {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly reason: SensitiveReason;
  readonly runsAt: RunsAt;
  readonly change: 'added' | 'changed' | 'removed';
  /** `commits`: part of a merge. `files`: in the worktree only, uncommitted or ignored. */
  readonly source: 'commits' | 'files';
  /** New path of a nested repository or a hook, moved so that no git command runs it. */
  readonly movedTo?: string;
}

/** A commit by the agent. */
export interface CommitRef {
  readonly sha: string;
}

/** An agent's work that is saved separately, because it is not on the run's branch. */
export interface RecoveredRef {
  /** Host reference that keeps it, below `refs/truecast/recovered/`. */
  readonly ref: string;
  readonly sha: string;
  /** Its name in the sandbox: a reference, `HEAD` or `stash@{n}`. */
  readonly from: string;
}

/** Work and session that an agent left behind when its run ended. */
export interface RunEvidence {
  /** The agent's commits, oldest first. Empty outside a `run()`. */
  readonly commits: CommitRef[];
  /** Branch that holds the commits. */
  readonly branch?: string;
  /** The agent's other branches, tags, stash entries and commits. Absent if it left none. */
  readonly recovered?: readonly RecoveredRef[];
  /** Host path of the worktree, kept for inspection. */
  readonly preservedWorktreePath?: string;
  readonly sessionId?: string;
  readonly sessionFilePath?: string;
  readonly logFilePath?: string;
  /** Changes that run code on the host at a later command. Absent outside a `run()`. */
  readonly sensitiveChanges?: readonly SensitiveChange[];
  readonly usage?: Usage;
  /**
   * The model's last text that was read as its answer, complete or partial. Only set for model
   * calls, and absent if the text was too large.
   */
  readonly receivedText?: string;
  /** A valid answer that already existed when another step failed. */
  readonly output?: unknown;
  /** The mode by which `output` was obtained. */
  readonly provenance?: unknown;
}

/** Options of an `EvidenceError` besides its message. */
interface EvidenceErrorOptions extends Partial<RunEvidence> {
  readonly code: string;
  readonly cause?: unknown;
}

/**
 * Base class of the errors that end a run. Each carries the agent's work and session. Only its
 * subclasses are thrown.
 */
export abstract class EvidenceError extends TruecastError implements RunEvidence {
  readonly commits: CommitRef[];
  declare readonly branch?: string;
  declare readonly recovered?: readonly RecoveredRef[];
  declare readonly preservedWorktreePath?: string;
  declare readonly sessionId?: string;
  declare readonly sessionFilePath?: string;
  declare readonly logFilePath?: string;
  declare readonly sensitiveChanges?: readonly SensitiveChange[];
  declare readonly usage?: Usage;
  declare readonly receivedText?: string;
  declare readonly output?: unknown;
  declare readonly provenance?: unknown;

  constructor(message: string, options: EvidenceErrorOptions) {
    super(message, { code: options.code, cause: options.cause });
    const { code: _code, cause: _cause, commits = [], ...evidence } = options;
    this.commits = commits;
    Object.assign(this, evidence);
    brand(this, 'EvidenceError');
  }

  /**
   * Returns true if `error` carries evidence, including an error from another copy of the package.
   */
  static override isInstance(error: unknown): error is EvidenceError {
    return isBranded(error, 'EvidenceError');
  }
}

/**
 * Adds evidence to an error that was thrown before the evidence was known. Fields that the error
 * already has are kept.
 *
 * @returns the same error
 */
export function attachEvidence<TError extends EvidenceError>(error: TError, evidence: RunEvidence): TError {
  const known = Object.entries(error).filter(([, value]) => value !== undefined && !isEmptyArray(value));
  return Object.assign(error, evidence, Object.fromEntries(known));
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** One attempt at an answer. Failed attempts are included. */
export interface Attempt {
  /** `ok`, or the failure's code. */
  readonly code: string;
  /** Result of the attempt, in one line. */
  readonly message: string;
  /** The text that was read as the answer, unchanged. */
  readonly rawMatched?: string;
  readonly usage?: Usage;
}
