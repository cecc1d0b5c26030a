/** Owns the error for an HTTP request that a server does not take. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** Why a request was refused before anything was asked of a chat. */
export type RequestRefusedErrorCode =
  | 'invalid-body'
  | 'invalid-json'
  | 'invalid-parameter'
  | 'unauthorized'
  | 'foreign-origin'
  | 'foreign-host'
  | 'not-found'
  | 'method-not-allowed'
  | 'too-large'
  | 'unsupported-media-type'
  | 'rate-limited'
  | 'too-many-open';

/** One thing that is wrong with a request. */
export interface RequestProblem {
  readonly field: string;
  readonly detail: string;
  /** JSON Pointer into the field. */
  readonly pointer?: string;
}

/** What a `RequestRefusedError` carries beside its message. */
export interface RequestRefusedErrorOptions {
  readonly code: RequestRefusedErrorCode;
  readonly cause?: unknown;
  /** All that is wrong. */
  readonly problems?: readonly RequestProblem[];
  /** When to ask again, in seconds. */
  readonly retryAfterSeconds?: number;
}

/**
 * Says that an HTTP request was refused, and nothing was changed.
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

  /** Tells whether `error` is a `RequestRefusedError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is RequestRefusedError {
    return isBranded(error, 'RequestRefusedError');
  }
}
