/** Owns the error for a request whose turn ended without an answer. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** How the request ended; the receipt has the same code, with underscores. */
export type RequestEndedErrorCode =
  | 'structured-output-not-produced'
  | 'generation-failed'
  | 'configuration-error'
  | 'interrupted'
  | 'superseded'
  | 'queue-deleted'
  | 'chat-deleted';

/** What a `RequestEndedError` carries beside its message. */
export interface RequestEndedErrorOptions {
  readonly code: RequestEndedErrorCode;
  readonly chatId: string;
  readonly requestId: string;
  /** What bound was reached, such as `validation_exhausted`. */
  readonly reason?: string;
  /** The receipt as the server gave it. */
  readonly receipt: unknown;
}

/**
 * Says that a chat's turn ended without a valid answer; the receipt tells every attempt.
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

  /** Tells whether `error` is a `RequestEndedError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is RequestEndedError {
    return isBranded(error, 'RequestEndedError');
  }
}
