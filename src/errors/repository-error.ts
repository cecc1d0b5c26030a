/** Owns the error for a git repository that cannot be worked on or merged into. Pure. */
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** What stands in the way. `locked`: another run works there; `merge-conflict`: the branch is kept and the host checkout is as it was. */
export type RepositoryErrorCode =
  | 'not-a-repository'
  | 'no-commit'
  | 'bare'
  | 'branch-in-use'
  | 'invalid-branch'
  | 'locked'
  | 'merge-conflict'
  | 'git-failed'
  | 'timeout';

/** What a `RepositoryError` carries beside its message. */
export interface RepositoryErrorOptions extends Partial<RunEvidence> {
  readonly code: RepositoryErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
}

/**
 * Says that git could not do what the run needs; the message names the command that finishes the job by hand.
 *
 * @example
 * ```ts
 * if (RepositoryError.isInstance(error) && error.code === 'merge-conflict') console.error(error.message);
 * ```
 */
export class RepositoryError extends EvidenceError {
  override readonly name: string = 'RepositoryError';
  declare readonly code: RepositoryErrorCode;
  declare readonly exitCode?: number;
  declare readonly stderrTail?: string;

  constructor(message: string, options: RepositoryErrorOptions) {
    super(message, options);
    brand(this, 'RepositoryError');
  }

  /** Tells whether `error` is a `RepositoryError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is RepositoryError {
    return isBranded(error, 'RepositoryError');
  }
}
