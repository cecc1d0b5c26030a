/** Error of a transition that the state of a chat or of a run does not allow. Pure. */
import { brand, isBranded, TruecastError } from './base/truecast-error.ts';

/** Why a chat was not changed. The first group is the client's to fix, the second a worker's. */
export type ChatStateErrorCode =
  | 'chat-not-found'
  | 'message-not-found'
  | 'queued-not-found'
  | 'request-not-found'
  | 'not-allowed'
  | 'queue-full'
  | 'quota-exceeded'
  | 'budget-spent'
  | 'too-many-turns'
  | 'client-id-taken'
  | 'message-not-editable'
  | 'no-tool-results'
  | 'duplicate-tool-result'
  | 'missing-tool-result'
  | 'unexpected-tool-result'
  | 'invalid-tool-result'
  | 'plan-mode'
  | 'request-open'
  | 'nothing-to-compact'
  | 'idempotency-mismatch'
  | 'idempotency-taken'
  | 'superseded'
  | 'leased'
  | 'request-ended'
  | 'receipt-missing'
  | 'input-changed'
  | 'invalid-state';

/** Options of a `ChatStateError` besides its message. */
export interface ChatStateErrorOptions {
  readonly code: ChatStateErrorCode;
  readonly cause?: unknown;
  /** Id of the chat. */
  readonly chatId?: string;
  /** The requested transition, such as `sendMessage`. */
  readonly transition?: string;
  /** The chat's current state, such as `running+queue`. */
  readonly from?: string;
  /** Id of the message, queue item, tool call, request or run that caused the error. */
  readonly subject?: string;
  /** The limit that was reached. */
  readonly limit?: number;
  /** When the limit is reset, in milliseconds since 1970. */
  readonly resetsAt?: number;
}

/**
 * Thrown when the state of a chat or of an agent run does not allow the requested transition. It is
 * unchanged.
 *
 * @example
 * ```ts
 * if (ChatStateError.isInstance(error) && error.code === 'not-allowed') console.error(error.transition, error.from);
 * ```
 */
export class ChatStateError extends TruecastError {
  override readonly name: string = 'ChatStateError';
  declare readonly code: ChatStateErrorCode;
  declare readonly chatId?: string;
  declare readonly transition?: string;
  declare readonly from?: string;
  declare readonly subject?: string;
  declare readonly limit?: number;
  declare readonly resetsAt?: number;

  constructor(message: string, { code, cause, ...facts }: ChatStateErrorOptions) {
    super(message, { code, cause });
    Object.assign(this, facts);
    brand(this, 'ChatStateError');
  }

  /**
   * Returns true if `error` is a `ChatStateError`, including one from another copy of the package.
   */
  static override isInstance(error: unknown): error is ChatStateError {
    return isBranded(error, 'ChatStateError');
  }
}
