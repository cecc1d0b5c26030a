/** Error of work that a signal to the process ended. Pure. */
import { EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/**
 * Thrown when SIGINT or SIGTERM ends the run. Its processes are dead, its work is kept.
 *
 * @example
 * ```ts
 * if (InterruptedError.isInstance(error)) console.error(error.processSignal, error.branch);
 * ```
 */
export class InterruptedError extends EvidenceError {
  override readonly name: string = 'InterruptedError';
  declare readonly code: 'interrupted';
  readonly processSignal: string;

  constructor(
    message: string,
    { processSignal, ...evidence }: Partial<RunEvidence> & { readonly processSignal: string },
  ) {
    super(message, { code: 'interrupted', ...evidence });
    this.processSignal = processSignal;
    brand(this, 'InterruptedError');
  }

  /**
   * Returns true if `error` is an `InterruptedError`, including one from another copy of the
   * package.
   */
  static override isInstance(error: unknown): error is InterruptedError {
    return isBranded(error, 'InterruptedError');
  }
}
