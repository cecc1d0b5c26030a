/**
 * Error of a failed agent process: it did not start, crashed, hung, or its model service refused.
 * Pure.
 */
import { EvidenceError, type RunEvidence } from './base/run-evidence.ts';
import { brand, isBranded } from './base/truecast-error.ts';

/**
 * How the agent failed. `api`: its model service returned an error that the agent did not recover
 * from. `authentication`: its service refused the key or login, with status 401 or 403.
 * `rate-limit`: its service refuses requests for a while. `incomplete`: it exited without its
 * final event.
 */
export type AgentErrorCode =
  | 'spawn'
  | 'exit'
  | 'idle-timeout'
  | 'killed'
  | 'api'
  | 'authentication'
  | 'rate-limit'
  | 'incomplete';

/** Options of an `AgentError` besides its message. */
export interface AgentErrorOptions extends Partial<RunEvidence> {
  readonly code: AgentErrorCode;
  readonly cause?: unknown;
  readonly exitCode?: number;
  readonly stderrTail?: string;
  readonly elapsedMs?: number;
  readonly statusCode?: number;
  readonly resetsAt?: Date;
}

/**
 * Thrown when an agent's process fails. The error carries its commits, branch and session, and its
 * answer if a valid one existed.
 *
 * @example
 * ```ts
 * if (AgentError.isInstance(error) && error.code === 'idle-timeout') console.error(error.sessionId, error.branch);
 * ```
 */
export class AgentError extends EvidenceError {
  override readonly name: string = 'AgentError';
  declare readonly code: AgentErrorCode;
  /** Exit code of the process. Undefined if it never started or a signal ended it. */
  declare readonly exitCode?: number;
  /** The last part of the process's stderr output. */
  declare readonly stderrTail?: string;
  declare readonly elapsedMs?: number;
  /** HTTP status of the model service, if the agent reported it. */
  declare readonly statusCode?: number;
  /** When the limit resets, if `code` is `rate-limit` and the agent reported it. */
  declare readonly resetsAt?: Date;

  constructor(message: string, options: AgentErrorOptions) {
    super(message, options);
    brand(this, 'AgentError');
  }

  /** Returns true if `error` is an `AgentError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is AgentError {
    return isBranded(error, 'AgentError');
  }
}
