/** Owns the error for a working directory that is not there. Pure. */
import { brand, isBranded } from './truecast-error.ts';
import { UsageError } from './usage-error.ts';

/**
 * Says that `cwd` does not exist or is not a directory.
 *
 * @example
 * ```ts
 * if (CwdError.isInstance(error)) console.error(error.cwd);
 * ```
 */
export class CwdError extends UsageError {
  override readonly name: string = 'CwdError';
  readonly cwd: string;

  constructor(message: string, { cwd, cause }: { readonly cwd: string; readonly cause?: unknown }) {
    super(message, { code: 'invalid-cwd', cause });
    this.cwd = cwd;
    brand(this, 'CwdError');
  }

  /** Tells whether `error` is a `CwdError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is CwdError {
    return isBranded(error, 'CwdError');
  }
}
