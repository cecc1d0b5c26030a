/** Owns what an agent leaves behind, and the base of every error that can carry it, so that no work is lost. Pure. */
import { TruecastError } from './truecast-error.ts';
import type { Usage } from './usage.ts';

/** A commit that the agent made. */
export interface CommitRef {
  readonly sha: string;
}

/** What an agent left behind when its run ended. */
export interface RunEvidence {
  /** The agent's own commits, oldest first; empty outside a `run()`. */
  readonly commits: readonly CommitRef[];
  /** Branch that holds the commits. */
  readonly branch?: string;
  /** Host path of the worktree, kept for the caller to inspect. */
  readonly preservedWorktreePath?: string;
  readonly sessionId?: string;
  readonly sessionFilePath?: string;
  readonly logFilePath?: string;
  readonly usage?: Usage;
}

/** What an `EvidenceError` takes beside its message. */
export interface EvidenceErrorOptions extends Partial<RunEvidence> {
  readonly code: string;
  readonly cause?: unknown;
}

/** Is the base of the errors that end a run: each carries what the agent left behind. Thrown only as one of its subclasses. */
export abstract class EvidenceError extends TruecastError implements RunEvidence {
  readonly commits: readonly CommitRef[];
  declare readonly branch?: string;
  declare readonly preservedWorktreePath?: string;
  declare readonly sessionId?: string;
  declare readonly sessionFilePath?: string;
  declare readonly logFilePath?: string;
  declare readonly usage?: Usage;

  constructor(message: string, options: EvidenceErrorOptions) {
    super(message, { code: options.code, cause: options.cause });
    const { code: _code, cause: _cause, commits = [], ...evidence } = options;
    this.commits = commits;
    Object.assign(this, evidence);
  }
}
