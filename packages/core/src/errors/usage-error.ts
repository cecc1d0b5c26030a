/** Error of a call with invalid arguments, thrown before any side effect. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** Why a call was refused. */
export type UsageErrorCode =
  | 'invalid-option'
  | 'invalid-definition'
  | 'unsupported'
  | 'invalid-cwd'
  | 'no-state-folder'
  | 'exposed-state-folder'
  | 'base-url-source'
  | 'missing-package';

/**
 * Thrown when the caller must change the call: on entry, before any branch, worktree, sandbox or
 * request exists.
 *
 * @example
 * ```ts
 * Output.string({ tag: '1st' }); // UsageError: Expected `tag` to match [A-Za-z_][A-Za-z0-9_.-]*, got `"1st"` (string). …
 * ```
 */
export class UsageError extends TruecastError {
  override readonly name: string = 'UsageError';
  declare readonly code: UsageErrorCode;

  constructor(message: string, options: { readonly code?: UsageErrorCode; readonly cause?: unknown } = {}) {
    super(message, { code: options.code ?? 'invalid-option', cause: options.cause });
    brand(this, 'UsageError');
  }

  /** Returns true if `error` is a `UsageError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is UsageError {
    return isBranded(error, 'UsageError');
  }
}
