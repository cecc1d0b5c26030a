/** Owns the error for what a database refuses or loses. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** What went wrong with the store. */
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
  | 'query'
  | 'write-failed';

/**
 * Says that the database could not be opened, or did not do what was asked; but for `commit-unknown`, nothing was stored.
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

  /** Tells whether `error` is a `StoreError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is StoreError {
    return isBranded(error, 'StoreError');
  }
}
