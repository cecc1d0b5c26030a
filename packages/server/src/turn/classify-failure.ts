/** Classifies failed model calls by status, code and size, never by message text. Pure. */

/** Facts about a failure. */
export interface ModelFailure {
  /** HTTP status of the provider. Absent without a response. */
  readonly statusCode?: number;
  /** The provider's code, verbatim from the body. */
  readonly errorCode?: string;
  /**
   * Transport failure: the connection broke, the stream stalled or ended early, or the call was
   * aborted. `unusable`: the service answers with too much, or redirects to another origin.
   * `unreadable`: its reply has another format. `no-service`: no service can answer at the address.
   */
  readonly cause?:
    | 'connection'
    | 'silence'
    | 'stream'
    | 'timeout'
    | 'aborted'
    | 'unusable'
    | 'unreadable'
    | 'no-service';
  /** The prompt is large enough to be too long for the model. @default false */
  readonly isSuspectSize?: boolean;
}

/** Told for causes, without the addresses, which only the operator knows. */
export const TOLD_CAUSES: Readonly<Partial<Record<NonNullable<ModelFailure['cause']>, string>>> = {
  unusable:
    "The model's service sent a reply that is too large, or a redirect to another address. Check the service, or choose another model.",
  unreadable:
    "The model's service sent a reply of another format. Check the service and its version, or choose another model.",
  'no-service':
    "No model's service can be reached at its address. Correct the address or its certificate, or choose another model.",
};

/** Failure class, for the client. */
export type FailureKind =
  | 'rate_limit'
  | 'usage_limit'
  | 'overloaded'
  | 'timeout'
  | 'connection'
  | 'server'
  | 'auth'
  | 'context_full'
  | 'config'
  | 'interrupted';

/** Reaction to the failure. */
export interface FailureClass {
  readonly kind: FailureKind;
  /** `compact`: summarize the conversation and continue. */
  readonly action: 'retry' | 'compact' | 'fail';
}

const RETRIED_STATUS: Readonly<Record<number, FailureKind>> = {
  408: 'timeout',
  409: 'server',
  425: 'server',
  500: 'server',
  502: 'server',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
};

const CONTEXT_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'request_too_large',
  'string_above_max_length',
  'exceed_context_size_error',
]);

/**
 * Statuses that reject a request's form. Some services send no code for a prompt that is too long.
 */
const REJECTED: ReadonlySet<number> = new Set([400, 422]);

/**
 * Classifies a failure. Status 429 is always retried, unless the code says that the account's quota
 * is used up.
 */
export function classifyFailure({ statusCode, errorCode, cause, isSuspectSize }: ModelFailure): FailureClass {
  if (cause === 'aborted') return { kind: 'interrupted', action: 'fail' };
  if (cause === 'unusable' || cause === 'unreadable') return { kind: 'server', action: 'fail' };
  if (cause === 'no-service') return { kind: 'connection', action: 'fail' };
  if (errorCode === 'insufficient_quota') return { kind: 'usage_limit', action: 'fail' };
  if (errorCode === 'overloaded_error') return { kind: 'overloaded', action: 'retry' };
  if (statusCode === 429) return { kind: 'rate_limit', action: 'retry' };
  if (statusCode === 413 || (errorCode !== undefined && CONTEXT_CODES.has(errorCode)))
    return { kind: 'context_full', action: 'compact' };
  if (isSuspectSize === true && statusCode !== undefined && REJECTED.has(statusCode))
    return { kind: 'context_full', action: 'compact' };
  if (statusCode === 401 || statusCode === 403) return { kind: 'auth', action: 'fail' };
  const retried = statusCode === undefined ? undefined : RETRIED_STATUS[statusCode];
  if (retried !== undefined) return { kind: retried, action: 'retry' };
  // A started stream had a success status, so its transport failure decides.
  if (cause !== undefined && (statusCode === undefined || statusCode < 400)) {
    return { kind: cause === 'silence' || cause === 'timeout' ? 'timeout' : 'connection', action: 'retry' };
  }
  if (statusCode !== undefined && statusCode > 500) return { kind: 'server', action: 'retry' };
  return { kind: 'config', action: 'fail' };
}

/**
 * Parses the delay that a provider requests in its response headers (lowercase names).
 *
 * @param nowMs - the current time, to convert dates
 * @param parseDate - milliseconds of an HTTP date, NaN if invalid
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
  parseDate: (text: string) => number,
): number | undefined {
  const inMs = amount(headers['retry-after-ms']);
  if (inMs !== undefined) return inMs;
  const header = headers['retry-after']?.trim() ?? '';
  const seconds = amount(header);
  if (seconds !== undefined) return seconds * 1_000;
  const at = header === '' ? Number.NaN : parseDate(header);
  return Number.isFinite(at) ? Math.max(0, at - nowMs) : undefined;
}

function amount(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d+(?:\.\d+)?\s*$/u.test(text) ? Number(text) : undefined;
}
