/** Error of a call to a model service that failed for good. Pure. */
import { type Attempt, EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/**
 * How the call failed. `http`: the service refused it. `unreachable`: no service answers at the
 * address. `context-full`: the request is larger than the model's context window. `stream`: the answer
 * ended early. `timeout`: the answer took longer than `timeouts.requestMs`, or its server loaded the model for
 * longer than `timeouts.loadingMs`. `too-large`: the reply has too many bytes. `redirect`: the service
 * answered with a redirect to another origin.
 */
export type ModelErrorCode =
  | 'http'
  | 'unreachable'
  | 'rate-limit'
  | 'context-full'
  | 'stream'
  | 'timeout'
  | 'too-large'
  | 'redirect';

/** Options of a `ModelError` besides its message. */
export interface ModelErrorOptions extends Partial<RunEvidence> {
  readonly code: ModelErrorCode;
  readonly cause?: unknown;
  readonly statusCode?: number;
  readonly attempts?: readonly Attempt[];
}

/**
 * Thrown when a model service cannot be called, even after backoff and retries.
 *
 * @example
 * ```ts
 * if (ModelError.isInstance(error) && error.code === 'rate-limit') console.error(error.statusCode, error.attempts);
 * ```
 */
export class ModelError extends EvidenceError {
  override readonly name: string = 'ModelError';
  declare readonly code: ModelErrorCode;
  /** HTTP status of the service. Undefined if no response arrived. */
  declare readonly statusCode?: number;
  /** The attempts that the service accepted, oldest first. */
  readonly attempts: readonly Attempt[];

  constructor(message: string, options: ModelErrorOptions) {
    super(message, options);
    this.attempts = options.attempts ?? [];
    brand(this, 'ModelError');
  }

  /** Returns true if `error` is a `ModelError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is ModelError {
    return isBranded(error, 'ModelError');
  }
}
