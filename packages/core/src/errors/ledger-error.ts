/** Error of a refusal by an ensemble's ledger. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

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
 * Thrown when the ledger refuses an event, or a run on it cannot continue. Nothing was appended.
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

  /** Returns true if `error` is a `LedgerError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is LedgerError {
    return isBranded(error, 'LedgerError');
  }
}
