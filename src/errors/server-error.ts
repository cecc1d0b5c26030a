/** Owns the error for a server that did not do what its client asked. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** What the server did instead. */
export type ServerErrorCode = 'refused' | 'unreachable' | 'invalid-response';

/** A problem document, as far as it was one. */
export interface ServerProblem {
  readonly code: string;
  readonly detail: string;
  readonly field?: string;
  readonly problems?: readonly {
    readonly field: string;
    readonly detail: string;
    readonly pointer?: string;
  }[];
  /** In the log of the server too. */
  readonly request_id?: string;
}

/** What a `ServerError` carries beside its message. */
export interface ServerErrorOptions {
  readonly code: ServerErrorCode;
  readonly cause?: unknown;
  /** Status of the HTTP response, where there was one. */
  readonly statusCode?: number;
  readonly problem?: ServerProblem;
}

/**
 * Says that a server refused a request, could not be reached, or answered with something else than its contract.
 *
 * @example
 * ```ts
 * if (ServerError.isInstance(error) && error.problem?.code === 'queue-full') console.error(error.problem.detail);
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

  /** Tells whether `error` is a `ServerError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is ServerError {
    return isBranded(error, 'ServerError');
  }
}
