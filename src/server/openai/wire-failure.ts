/** Owns what a request that is not answered is told on OpenAI's wire: its own error shape, and a status that no client repeats by itself. Pure. */
import type { AttemptIssue, ReceiptAttempt } from '../contract/receipt.ts';

/** Whose fault it is, in the words of the wire. */
export type WireFailureType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'rate_limit_error'
  | 'structured_output_error'
  | 'model_error'
  | 'server_error';

/** Why a request is not answered. */
export interface WireFailure {
  readonly status: 400 | 401 | 404 | 413 | 422 | 424 | 429 | 500 | 503;
  readonly type: WireFailureType;
  readonly code: string;
  readonly message: string;
  /** The field of the body, such as `messages[0].content`. */
  readonly param?: string;
  /** The bound that was reached; with `structured_output_not_produced`. */
  readonly reason?: string;
  /** What each call of the model gave for the answer; no value of it. */
  readonly attempts?: readonly ReceiptAttempt[];
  /** Seconds that the model's service asks to wait. */
  readonly retryAfterSeconds?: number;
}

/** The body of an answer with an error. */
export interface WireErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly reason?: string;
    readonly attempts?: readonly { readonly code: string; readonly issues?: readonly AttemptIssue[] }[];
  };
}

/** Writes a failure as the body of an answer, or as an event of a stream. */
export function errorBody({ message, type, param, code, reason, attempts }: WireFailure): WireErrorBody {
  return {
    error: {
      message,
      type,
      param: param ?? null,
      code,
      ...(reason !== undefined && { reason }),
      ...(attempts !== undefined && { attempts }),
    },
  };
}

/**
 * The headers of an answer with an error. Clients repeat 408, 409, 429 and 5xx by themselves, and with them a whole agent's work: they are told not
 * to, save where a model's service only asks to wait.
 */
export function errorHeaders({ status, retryAfterSeconds }: WireFailure): Readonly<Record<string, string>> {
  return {
    'x-should-retry': status === 429 ? 'true' : 'false',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
  };
}

/** A request that its sender must change. */
export function refused(param: string | undefined, message: string, code = 'invalid_value'): WireFailure {
  return {
    status: 400,
    type: 'invalid_request_error',
    code,
    message,
    ...(param !== undefined && { param }),
  };
}
