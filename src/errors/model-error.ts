/** Owns the error for a call of a model's service that failed for good. Pure. */
import type { Attempt } from './attempt.ts';
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** How the call failed. `http`: the service refused it or could not be reached; `stream`: the answer broke off on its way. */
export type ModelErrorCode = 'http' | 'rate-limit' | 'stream';

/** What a `ModelError` carries beside its message. */
export interface ModelErrorOptions extends Partial<RunEvidence> {
  readonly code: ModelErrorCode;
  readonly cause?: unknown;
  readonly statusCode?: number;
  readonly attempts?: readonly Attempt[];
}

/**
 * Says that a model's service could not be asked, also after waiting and asking again.
 *
 * @example
 * ```ts
 * if (ModelError.isInstance(error) && error.code === 'rate-limit') console.error(error.statusCode, error.attempts);
 * ```
 */
export class ModelError extends EvidenceError {
  override readonly name: string = 'ModelError';
  declare readonly code: ModelErrorCode;
  /** HTTP status of the service; undefined when none was received. */
  declare readonly statusCode?: number;
  /** The tries for an answer that the service did take, the first one first. */
  readonly attempts: readonly Attempt[];

  constructor(message: string, options: ModelErrorOptions) {
    super(message, options);
    this.attempts = options.attempts ?? [];
    brand(this, 'ModelError');
  }

  /** Tells whether `error` is a `ModelError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is ModelError {
    return isBranded(error, 'ModelError');
  }
}
