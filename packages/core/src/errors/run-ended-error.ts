/** Error of an agent run on a server that ended without a result. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** How the run ended. The receipt has the same code, with underscores. */
export type RunEndedErrorCode =
  | 'structured-output-not-produced'
  | 'agent-failed'
  | 'sandbox-failed'
  | 'repository-failed'
  | 'limit-reached'
  | 'worker-lost'
  | 'configuration-error'
  | 'internal'
  | 'canceled'
  | 'expired';

/** Options of a `RunEndedError` besides its message. */
export interface RunEndedErrorOptions {
  readonly code: RunEndedErrorCode;
  readonly runId: string;
  /** The code of the error behind it, such as `schema_mismatch`. */
  readonly reason?: string;
  /** The receipt as received from the server. */
  readonly receipt: unknown;
}

/**
 * Thrown when an agent run of a server ends without a result. The receipt has its commits and its branch.
 *
 * @example
 * ```ts
 * if (RunEndedError.isInstance(error) && error.code === 'worker-lost') console.error(error.runId);
 * ```
 */
export class RunEndedError extends TruecastError {
  override readonly name: string = 'RunEndedError';
  declare readonly code: RunEndedErrorCode;
  readonly runId: string;
  declare readonly reason?: string;
  readonly receipt: unknown;

  constructor(message: string, { code, runId, reason, receipt }: RunEndedErrorOptions) {
    super(message, { code });
    this.runId = runId;
    this.receipt = receipt;
    if (reason !== undefined) this.reason = reason;
    brand(this, 'RunEndedError');
  }

  /** Returns true if `error` is a `RunEndedError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is RunEndedError {
    return isBranded(error, 'RunEndedError');
  }
}
