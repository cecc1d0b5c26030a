/** Error of a git repository that cannot be worked on or merged into. Pure. */
import { EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/**
 * Why the repository cannot be used. `locked`: another run works there. `merge-conflict`: the
 * branch is kept and the host checkout is unchanged. `sensitive-changes`: the same, because the
 * branch contains files that would run code on the host. `check-failed`: the same, because the
 * output's check did not pass on the commit that would have landed. `unsafe-path`: a link, a pipe
 * or a device is where a regular file is expected, or a link leads out of the checkout.
 */
export type RepositoryErrorCode =
  | 'not-a-repository'
  | 'no-commit'
  | 'bare'
  | 'branch-in-use'
  | 'invalid-branch'
  | 'locked'
  | 'merge-conflict'
  | 'sensitive-changes'
  | 'check-failed'
  | 'secret-in-commits'
  | 'attachment-in-commits'
  | 'unsafe-path'
  | 'untrusted-env-file'
  | 'push-failed'
  | 'pull-request-failed'
  | 'disk-full'
  | 'not-writable'
  | 'not-readable'
  | 'git-failed'
  | 'timeout';

/** Options of a `RepositoryError` besides its message. */
export interface RepositoryErrorOptions extends Partial<RunEvidence> {
  readonly code: RepositoryErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
}

/**
 * Thrown when git cannot complete a step of the run. The message names the command that finishes
 * the job by hand.
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

  /**
   * Returns true if `error` is a `RepositoryError`, including one from another copy of the package.
   */
  static override isInstance(error: unknown): error is RepositoryError {
    return isBranded(error, 'RepositoryError');
  }
}
