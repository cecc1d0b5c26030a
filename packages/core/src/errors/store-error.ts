/** Error of a database that refuses or loses an operation. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** How the store failed. */
export type StoreErrorCode =
  | 'busy'
  | 'cannot-open'
  | 'closed'
  | 'commit-unknown'
  | 'connection-lost'
  | 'constraint'
  | 'inside-transaction'
  | 'job-lost'
  | 'newer-database'
  | 'older-database'
  | 'query'
  | 'write-failed';

/**
 * Thrown when the database cannot be opened or an operation fails. Nothing was stored, except
 * possibly with `commit-unknown`.
 *
 * @example
 * ```ts
 * if (StoreError.isInstance(error) && error.code === 'newer-database') console.error(error.message);
 * ```
 */
export class StoreError extends TruecastError {
  override readonly name: string = 'StoreError';
  declare readonly code: StoreErrorCode;

  constructor(message: string, options: { readonly code: StoreErrorCode; readonly cause?: unknown }) {
    super(message, options);
    brand(this, 'StoreError');
  }

  /** Returns true if `error` is a `StoreError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is StoreError {
    return isBranded(error, 'StoreError');
  }
}
