/** Error of a sandbox that could not be started, used or closed. Pure. */
import { EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/**
 * What failed in the sandbox. `sync`: work inside could not be copied to the host.
 * `escape-attempt`: the guest changed a file that would run code on the host.
 */
export type SandboxErrorCode =
  | 'unavailable'
  | 'image'
  | 'start'
  | 'exec'
  | 'copy'
  | 'sync'
  | 'hook'
  | 'timeout'
  | 'escape-attempt';

/** Options of a `SandboxError` besides its message. */
export interface SandboxErrorOptions extends Partial<RunEvidence> {
  readonly code: SandboxErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
  readonly elapsedMs?: number;
}

/**
 * Thrown when the agent's sandbox fails, not the agent.
 *
 * @example
 * ```ts
 * if (SandboxError.isInstance(error) && error.code === 'unavailable') console.error('Run `truecast doctor`.');
 * ```
 */
export class SandboxError extends EvidenceError {
  override readonly name: string = 'SandboxError';
  declare readonly code: SandboxErrorCode;
  declare readonly exitCode?: number;
  declare readonly stderrTail?: string;
  declare readonly elapsedMs?: number;

  constructor(message: string, options: SandboxErrorOptions) {
    super(message, options);
    brand(this, 'SandboxError');
  }

  /**
   * Returns true if `error` is a `SandboxError`, including one from another copy of the package.
   */
  static override isInstance(error: unknown): error is SandboxError {
    return isBranded(error, 'SandboxError');
  }
}
