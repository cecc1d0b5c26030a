/** Reads status, code and requested delay from a failed model call. Pure. */
import { ModelError, type ModelErrorCode } from '@truecast/core/internal/errors/model-error';
import { codesIn, refusalIn } from '@truecast/model/internal/failure/refusal';
import { canComeBack, connectionFailure } from '@truecast/model/internal/failure/unreachable';
import { isStillLoading } from '@truecast/model/internal/failure/while-loading';
import { retryAfterMs, type ModelFailure } from './classify-failure.ts';

const CAUSES: Readonly<Record<ModelErrorCode, NonNullable<ModelFailure['cause']>>> = {
  stream: 'stream',
  http: 'connection',
  unreachable: 'connection',
  'rate-limit': 'connection',
  'context-full': 'connection',
  timeout: 'timeout',
  'too-large': 'unusable',
  redirect: 'unusable',
};

/** Returns the facts about an error of the AI SDK or of a stream. */
export function failureFacts(error: unknown): ModelFailure {
  if (ModelError.isInstance(error)) return ownFacts(error);
  if (isUnreadable(error)) return { cause: 'unreadable' };
  const refusal = refusalIn(error)?.cause;
  const statusCode = memberOf(error, 'statusCode');
  const errorCode = errorCodeOf(error);
  const told = {
    ...(errorCode !== undefined && { errorCode }),
    ...(refusal !== undefined && { refusal }),
  };
  if (typeof statusCode === 'number') return { statusCode, ...told };
  // The service had begun to answer. Its error event has no status.
  if (isStreamError(error)) return { cause: 'told', ...told };
  return isCallError(error) ? { cause: 'connection', ...told } : told;
}

function ownFacts(error: ModelError): ModelFailure {
  const failure = connectionFailure(error);
  if (failure !== undefined) return { cause: failure.cause, canComeBack: canComeBack(error) };
  return { cause: isStillLoading(error) ? 'still-loading' : CAUSES[error.code] };
}

/** Errors of the SDK for a reply that it cannot read. The service rejected nothing. */
const UNREADABLE: readonly unknown[] = [
  'AI_TypeValidationError',
  'AI_JSONParseError',
  'AI_InvalidResponseDataError',
];

function isUnreadable(error: unknown): boolean {
  const status = memberOf(error, 'statusCode');
  if (typeof status === 'number' && status >= 400) return false;
  return [error, memberOf(error, 'cause')].some((each) => UNREADABLE.includes(memberOf(each, 'name')));
}

/** Returns the delay that the service requests in its headers, in milliseconds. */
export function askedMs(
  error: unknown,
  nowMs: number,
  parseDate: (text: string) => number,
): number | undefined {
  const headers = memberOf(error, 'responseHeaders');
  if (typeof headers !== 'object' || headers === null) return undefined;
  const entries = Object.entries(headers).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
  );
  return retryAfterMs(Object.fromEntries(entries), nowMs, parseDate);
}

function isCallError(error: unknown): boolean {
  const isCall =
    error instanceof Error && (error.name === 'AI_APICallError' || error.name === 'AI_RetryError');
  return isCall || memberOf(error, 'isRetryable') === true;
}

function isStreamError(error: unknown): boolean {
  return memberOf(error, 'name') === 'AI_StreamProviderError';
}

function errorCodeOf(error: unknown): string | undefined {
  const text = memberOf(error, 'responseBody');
  const codes = [
    ...codesIn(typeof text === 'string' ? text : ''),
    ...(isStreamError(error) ? [memberOf(error, 'code'), memberOf(error, 'type')] : []),
  ];
  return codes.find((value) => typeof value === 'string');
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
