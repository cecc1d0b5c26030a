/** Owns what an agent leaves behind, and the base of every error that can carry it, so that no work is lost. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';
import type { Usage } from './usage.ts';

/** A commit that the agent made. */
export interface CommitRef {
  readonly sha: string;
}

/** What an agent left behind when its run ended. */
export interface RunEvidence {
  /** The agent's own commits, oldest first; empty outside a `run()`. */
  readonly commits: CommitRef[];
  /** Branch that holds the commits. */
  readonly branch?: string;
  /** Host path of the worktree, kept for the caller to inspect. */
  readonly preservedWorktreePath?: string;
  readonly sessionId?: string;
  readonly sessionFilePath?: string;
  readonly logFilePath?: string;
  readonly usage?: Usage;
  /** The last text of a model that was taken for its answer, or began to be one; only of calls of a model, and not where it was too large. */
  readonly receivedText?: string;
  /** A valid answer that was already there when something else failed. */
  readonly output?: unknown;
  /** How `output` was obtained. */
  readonly provenance?: unknown;
}

/** What an `EvidenceError` takes beside its message. */
export interface EvidenceErrorOptions extends Partial<RunEvidence> {
  readonly code: string;
  readonly cause?: unknown;
}

/** Is the base of the errors that end a run: each carries what the agent left behind. Thrown only as one of its subclasses. */
export abstract class EvidenceError extends TruecastError implements RunEvidence {
  readonly commits: CommitRef[];
  declare readonly branch?: string;
  declare readonly preservedWorktreePath?: string;
  declare readonly sessionId?: string;
  declare readonly sessionFilePath?: string;
  declare readonly logFilePath?: string;
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

  /** Tells whether `error` is one of the errors that carry evidence, also one from another copy of the package. */
  static override isInstance(error: unknown): error is EvidenceError {
    return isBranded(error, 'EvidenceError');
  }
}

/**
 * Adds what an agent left behind to an error that was thrown where it was not known yet. What the error already tells stands.
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
