/** Error of a missing working directory. Pure. */
import { brand, isBranded } from './base/truecast-error.ts';
import { UsageError } from './usage-error.ts';

/**
 * Thrown when `cwd` does not exist or is not a directory.
 *
 * @example
 * ```ts
 * if (CwdError.isInstance(error)) console.error(error.cwd);
 * ```
 */
export class CwdError extends UsageError {
  override readonly name: string = 'CwdError';
  /** Discriminant of this error. */
  readonly _tag = 'CwdError' as const;
  readonly cwd: string;

  constructor(message: string, { cwd, cause }: { readonly cwd: string; readonly cause?: unknown }) {
    super(message, { code: 'invalid-cwd', cause });
    this.cwd = cwd;
    brand(this, 'CwdError');
  }

  /** Returns true if `error` is a `CwdError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is CwdError {
    return isBranded(error, 'CwdError');
  }
}
