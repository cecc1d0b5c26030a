/** Error of a request whose turn ended without an answer. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** How the request ended. The receipt has the same code, with underscores. */
export type RequestEndedErrorCode =
  | 'structured-output-not-produced'
  | 'generation-failed'
  | 'configuration-error'
  | 'deadline-exceeded'
  | 'quota-exceeded'
  | 'interrupted'
  | 'superseded'
  | 'queue-deleted'
  | 'chat-deleted';

/** Options of a `RequestEndedError` besides its message. */
export interface RequestEndedErrorOptions {
  readonly code: RequestEndedErrorCode;
  readonly chatId: string;
  readonly requestId: string;
  /** The limit that was reached, such as `validation_exhausted`. */
  readonly reason?: string;
  /** The receipt as received from the server. */
  readonly receipt: unknown;
}

/**
 * Thrown when a chat's turn ends without a valid answer. The receipt lists every attempt.
 *
 * @example
 * ```ts
 * if (RequestEndedError.isInstance(error) && error.reason === 'truncated') console.error(error.message);
 * ```
 */
export class RequestEndedError extends TruecastError {
  override readonly name: string = 'RequestEndedError';
  declare readonly code: RequestEndedErrorCode;
  readonly chatId: string;
  readonly requestId: string;
  declare readonly reason?: string;
  readonly receipt: unknown;

  constructor(message: string, { code, chatId, requestId, reason, receipt }: RequestEndedErrorOptions) {
    super(message, { code });
    this.chatId = chatId;
    this.requestId = requestId;
    this.receipt = receipt;
    if (reason !== undefined) this.reason = reason;
    brand(this, 'RequestEndedError');
  }

  /**
   * Returns true if `error` is a `RequestEndedError`, including one from another copy of the
   * package.
   */
  static override isInstance(error: unknown): error is RequestEndedError {
    return isBranded(error, 'RequestEndedError');
  }
}
