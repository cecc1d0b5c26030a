/** Owns the error for an agent process that failed: it would not start, died, fell silent, or its model's service refused. Pure. */
import { EvidenceError, type RunEvidence } from './run-evidence.ts';
import { brand, isBranded } from './truecast-error.ts';

/** How the agent failed. `api`: its model's service answered an error that it did not recover from; `incomplete`: it exited without its final event. */
export type AgentErrorCode = 'spawn' | 'exit' | 'idle-timeout' | 'killed' | 'api' | 'incomplete';

/** What an `AgentError` carries beside its message. */
export interface AgentErrorOptions extends Partial<RunEvidence> {
  readonly code: AgentErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
  readonly elapsedMs?: number;
  readonly statusCode?: number;
}

/**
 * Says that the agent's process did not end well. Its commits, branch, session and, where one was already valid, its answer are on the error.
 *
 * @example
 * ```ts
 * if (AgentError.isInstance(error) && error.code === 'idle-timeout') console.error(error.sessionId, error.branch);
 * ```
 */
export class AgentError extends EvidenceError {
  override readonly name: string = 'AgentError';
  declare readonly code: AgentErrorCode;
  /** Exit code of the process; undefined when it never started or a signal ended it. */
  declare readonly exitCode?: number;
  /** The end of what the process wrote to stderr. */
  declare readonly stderrTail?: string;
  declare readonly elapsedMs?: number;
  /** HTTP status of the model's service, when `code` is `api` and the agent told it. */
  declare readonly statusCode?: number;

  constructor(message: string, options: AgentErrorOptions) {
    super(message, options);
    brand(this, 'AgentError');
  }

  /** Tells whether `error` is an `AgentError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is AgentError {
    return isBranded(error, 'AgentError');
  }
}
