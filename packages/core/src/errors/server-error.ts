/** Error of a server that did not fulfil its client's request. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** How the server failed the request. */
export type ServerErrorCode = 'refused' | 'unreachable' | 'invalid-response';

/** The fields of a problem document that the response contained. */
export interface ServerProblem {
  readonly code: string;
  readonly detail: string;
  readonly field?: string;
  readonly problems?: readonly {
    readonly field: string;
    readonly detail: string;
    readonly pointer?: string;
  }[];
  /** Also in the server's log. */
  readonly http_request_id?: string;
}

/** Options of a `ServerError` besides its message. */
export interface ServerErrorOptions {
  readonly code: ServerErrorCode;
  readonly cause?: unknown;
  /** HTTP status, if a response arrived. */
  readonly statusCode?: number;
  readonly problem?: ServerProblem;
}

/**
 * Thrown when a server refuses a request, cannot be reached, or violates its contract.
 *
 * @example
 * ```ts
 * if (ServerError.isInstance(error) && error.problem?.code === 'queue_full') console.error(error.problem.detail);
 * ```
 */
export class ServerError extends TruecastError {
  override readonly name: string = 'ServerError';
  declare readonly code: ServerErrorCode;
  declare readonly statusCode?: number;
  declare readonly problem?: ServerProblem;

  constructor(message: string, { code, cause, ...facts }: ServerErrorOptions) {
    super(message, { code, cause });
    Object.assign(this, facts);
    brand(this, 'ServerError');
  }

  /** Returns true if `error` is a `ServerError`, including one from another copy of the package. */
  static override isInstance(error: unknown): error is ServerError {
    return isBranded(error, 'ServerError');
  }
}
