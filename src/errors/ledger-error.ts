/** Owns the error for what the ledger of an ensemble refuses. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** Why the ledger refused. */
export type LedgerErrorCode =
  | 'conflict'
  | 'diverged'
  | 'invalid-event'
  | 'not-granted'
  | 'run-finished'
  | 'unknown-actor'
  | 'unknown-run';

/**
 * Says that the ledger refused an event, or that a run on it cannot be played on; nothing was appended.
 *
 * @example
 * ```ts
 * if (LedgerError.isInstance(error) && error.code === 'not-granted') console.error(error.message);
 * ```
 */
export class LedgerError extends TruecastError {
  override readonly name: string = 'LedgerError';
  declare readonly code: LedgerErrorCode;

  constructor(message: string, options: { readonly code: LedgerErrorCode; readonly cause?: unknown }) {
    super(message, options);
    brand(this, 'LedgerError');
  }

  /** Tells whether `error` is a `LedgerError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is LedgerError {
    return isBranded(error, 'LedgerError');
  }
}
