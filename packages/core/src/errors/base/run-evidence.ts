/**
 * Evidence that an agent leaves behind, and the base class of every error that carries it, so that
 * no work is lost. Pure.
 */
import { brand, isBranded, TruecastError } from './truecast-error.ts';
import type { SensitiveChange } from './sensitive-change.ts';
import type { Usage } from '../../kit/usage.ts';

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
