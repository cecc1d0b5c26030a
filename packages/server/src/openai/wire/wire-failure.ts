/**
 * OpenAI-compatible error responses: the wire's error format, and statuses that no client retries
 * automatically. Pure.
 */
import type { Usage } from '@truecast/core/internal/kit/usage';
import { toReceiptUsage } from '../../contract/receipt.ts';
import type { AttemptIssue, ReceiptAttempt, ReceiptUsage } from '@truecast/client/internal/wire/receipt';

/** Error type, in the wire's terms. */
export type WireFailureType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'rate_limit_error'
  | 'structured_output_error'
  | 'model_error'
  | 'server_error';

/** Error code. */
export interface WireFailure {
  readonly status: 400 | 401 | 404 | 413 | 415 | 422 | 424 | 429 | 500 | 503;
  readonly type: WireFailureType;
  readonly code: string;
  readonly message: string;
  /** The field of the body, such as `messages[0].content`. */
  readonly param?: string;
  /** The reached limit. Set with `structured_output_not_produced`. */
  readonly reason?: string;
  /** Result of each model call, without values. */
  readonly attempts?: readonly ReceiptAttempt[];
  /** Sum over the model calls. Absent if none answered. */
  readonly usage?: Usage;
  /** Seconds to wait, as requested by the model service. */
  readonly retryAfterSeconds?: number;
}

export interface WireErrorBody {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly reason?: string;
    readonly attempts?: readonly { readonly code: string; readonly issues?: readonly AttemptIssue[] }[];
    readonly usage?: ReceiptUsage;
  };
}

/** Renders a failure as a response body or a stream event. */
export function errorBody(failure: WireFailure): WireErrorBody {
  const { message, type, param, code, reason, attempts, usage } = failure;
  return {
    error: {
      message,
      type,
      param: param ?? null,
      code,
      ...(reason !== undefined && { reason }),
      ...(attempts !== undefined && { attempts }),
      ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
    },
  };
}

/**
 * Headers of an error response. Clients automatically retry 408, 409, 429 and 5xx, which would
 * repeat a whole agent run. The headers forbid that, unless the model service only requests a
 * delay. A spent quota resets too late for a retry.
 */
export function errorHeaders({
  status,
  code,
  retryAfterSeconds,
}: WireFailure): Readonly<Record<string, string>> {
  return {
    'x-should-retry': status === 429 && code !== 'insufficient_quota' ? 'true' : 'false',
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(Math.ceil(retryAfterSeconds)) }),
  };
}

/** Creates the failure of a request that its sender must change. */
export function refused(param: string | undefined, message: string, code = 'invalid_value'): WireFailure {
  return {
    status: 400,
    type: 'invalid_request_error',
    code,
    message,
    ...(param !== undefined && { param }),
  };
}
