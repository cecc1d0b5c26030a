/** Owns the error for a sandbox that could not be started, used or left. Pure. */
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** What failed in the sandbox. `sync`: work inside could not be brought to the host; `escape-attempt`: the guest changed a file that would run code on the host. */
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

/** What a `SandboxError` carries beside its message. */
export interface SandboxErrorOptions extends Partial<RunEvidence> {
  readonly code: SandboxErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
  readonly elapsedMs?: number;
}

/**
 * Says that the place where the agent works failed, not the agent.
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

  /** Tells whether `error` is a `SandboxError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is SandboxError {
    return isBranded(error, 'SandboxError');
  }
}
