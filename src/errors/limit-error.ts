/** Owns the error for a bound that the caller set and the work reached. Pure. */
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** Which bound was reached. */
export type LimitErrorCode = 'time' | 'tokens' | 'money' | 'steps';

/** What a `LimitError` carries beside its message. */
export interface LimitErrorOptions extends Partial<RunEvidence> {
  readonly code: LimitErrorCode;
  readonly cause?: unknown;
}

/**
 * Says that a bound of the caller ended the work; what was done until then is on the error.
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

  /** Tells whether `error` is a `LimitError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is LimitError {
    return isBranded(error, 'LimitError');
  }
}
