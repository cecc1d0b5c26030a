/** Owns the error for a change of a chat that its state does not allow. Pure. */
import { brand, isBranded, TruecastError } from './truecast-error.ts';

/** Why a chat was not changed. The first group is the client's to mend, the second a worker's. */
export type ChatStateErrorCode =
  | 'chat-not-found'
  | 'message-not-found'
  | 'queued-not-found'
  | 'request-not-found'
  | 'not-allowed'
  | 'queue-full'
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

/** What a `ChatStateError` carries beside its message. */
export interface ChatStateErrorOptions {
  readonly code: ChatStateErrorCode;
  readonly cause?: unknown;
  /** The chat that was to change. */
  readonly chatId?: string;
  /** What was asked of it, such as `sendMessage`. */
  readonly transition?: string;
  /** The state it was found in, such as `running+queue`. */
  readonly from?: string;
  /** The message, queue item, tool call or request that is at fault. */
  readonly subject?: string;
  /** The bound that was reached. */
  readonly limit?: number;
}

/**
 * Says that a chat was left as it was, because its state does not allow what was asked of it.
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

  constructor(message: string, { code, cause, ...facts }: ChatStateErrorOptions) {
    super(message, { code, cause });
    Object.assign(this, facts);
    brand(this, 'ChatStateError');
  }

  /** Tells whether `error` is a `ChatStateError`, also one from another copy of the package. */
  static override isInstance(error: unknown): error is ChatStateError {
    return isBranded(error, 'ChatStateError');
  }
}
