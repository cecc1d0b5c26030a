/** Error of an HTTP request that a server refuses. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** Why a request was refused before it reached a chat. */
export type RequestRefusedErrorCode =
  | 'invalid-body'
  | 'invalid-json'
  | 'invalid-parameter'
  | 'unauthorized'
  | 'identity-unavailable'
  | 'closing'
  | 'foreign-origin'
  | 'foreign-host'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'too-many-open';

export interface RequestProblem {
  readonly field: string;
  readonly detail: string;
  /** JSON Pointer to the field. */
  readonly pointer?: string;
}

/** Options of a `RequestRefusedError` besides its message. */
export interface RequestRefusedErrorOptions {
  readonly code: RequestRefusedErrorCode;
  readonly cause?: unknown;
  /** All problems of the request. */
  readonly problems?: readonly RequestProblem[];
  /** Seconds until the client can retry. */
  readonly retryAfterSeconds?: number;
}

/**
 * Thrown when an HTTP request is refused. Nothing was changed.
 *
 * @example
 * ```ts
 * if (RequestRefusedError.isInstance(error)) for (const { field, detail } of error.problems) console.error(field, detail);
 * ```
 */
export class RequestRefusedError extends TruecastError {
  override readonly name: string = 'RequestRefusedError';
  declare readonly code: RequestRefusedErrorCode;
  readonly problems: readonly RequestProblem[];
  declare readonly retryAfterSeconds?: number;

  constructor(
    message: string,
    { code, cause, problems = [], retryAfterSeconds }: RequestRefusedErrorOptions,
  ) {
    super(message, { code, cause });
    this.problems = problems;
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
    brand(this, 'RequestRefusedError');
  }

  /**
   * Returns true if `error` is a `RequestRefusedError`, including one from another copy of the
   * package.
   */
  static override isInstance(error: unknown): error is RequestRefusedError {
    return isBranded(error, 'RequestRefusedError');
  }
}
