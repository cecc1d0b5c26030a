/** Classifies failed model calls by their cause. Pure. */
import { refusalCause, type RefusalCause } from '@truecast/model/internal/failure/refusal';
import {
  FAILURE_CAUSES,
  type FailureCause,
  type FailureClass,
  type TransportCause,
} from './failure-causes.ts';

/** Facts about a failure. */
export interface ModelFailure {
  /** HTTP status of the provider. Absent without a response. */
  readonly statusCode?: number;
  /** The provider's code, verbatim from the body. */
  readonly errorCode?: string;
  /** Why the service refused the request. @default by status and code */
  readonly refusal?: RefusalCause;
  /** Why there is no complete reply, if the service refused nothing. */
  readonly cause?: TransportCause;
  /** True if a failed connection can work a moment later. @default by the cause */
  readonly canComeBack?: boolean;
  /** The prompt is large enough to be too long for the model. @default false */
  readonly isSuspectSize?: boolean;
}

/** Causes that a status cannot contradict. */
const DECISIVE: ReadonlySet<TransportCause | undefined> = new Set(['aborted', 'unusable', 'unreadable']);
/**
 * Statuses that reject a request's form. Some services send no code for a prompt that is too long.
 */
const REJECTED: ReadonlySet<number> = new Set([400, 422]);

/** Returns why a call failed. A started stream had a success status, so its transport failure decides. */
export function causeOfFailure(failure: ModelFailure): FailureCause {
  const { statusCode, errorCode, cause, isSuspectSize } = failure;
  if (cause !== undefined && DECISIVE.has(cause)) return cause;
  const refusal = failure.refusal ?? refusalCause({ statusCode, codes: [errorCode], text: '' });
  const isForm = refusal === 'refused' && statusCode !== undefined && REJECTED.has(statusCode);
  if (isForm && isSuspectSize === true) return 'context-full';
  return refusal ?? cause ?? 'refused';
}

/**
 * Classifies a failure. Status 429 is always retried, unless the code says that the account's quota
 * is used up.
 */
export function classifyFailure(failure: ModelFailure): FailureClass {
  const { kind, action } = FAILURE_CAUSES[causeOfFailure(failure)];
  const { canComeBack } = failure;
  return { kind, action: canComeBack === undefined ? action : canComeBack ? 'retry' : 'fail' };
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
