/** Error of a limit that the caller set and the work reached. Pure. */
import { EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/** The limit that was reached. */
export type LimitErrorCode = 'time' | 'tokens' | 'money' | 'requests' | 'steps' | 'rounds';

/** Options of a `LimitError` besides its message. */
export interface LimitErrorOptions extends Partial<RunEvidence> {
  readonly code: LimitErrorCode;
  readonly cause?: unknown;
}

/**
 * Thrown when a limit of the caller ends the work. The error carries the work that was done before.
 *
 * @example
 * ```ts
 * if (LimitError.isInstance(error) && error.code === 'money') console.error(error.usage?.costUsd);
 * ```
 */
export class LimitError extends EvidenceError {
  override readonly name: string = 'LimitError';
  declare readonly code: LimitErrorCode;

  constructor(message: string, options: LimitErrorOptions) {
    super(message, options);
    brand(this, 'LimitError');
  }

  /** Returns true if `error` is a `LimitError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is LimitError {
    return isBranded(error, 'LimitError');
  }
}
