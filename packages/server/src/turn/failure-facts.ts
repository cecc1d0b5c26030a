/** Reads status, code and requested delay from a failed model call. Pure. */
import { ModelError, type ModelErrorCode } from '@truecast/core/internal/errors/model-error';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import { canComeBack } from '@truecast/model/internal/call/unreachable';
import { retryAfterMs, type ModelFailure } from './classify-failure.ts';

const CAUSES: Readonly<Record<ModelErrorCode, NonNullable<ModelFailure['cause']>>> = {
  stream: 'stream',
  http: 'connection',
  unreachable: 'connection',
  'rate-limit': 'connection',
  timeout: 'connection',
  'too-large': 'unusable',
  redirect: 'unusable',
};

/** Returns the facts about an error of the AI SDK or of a stream. */
export function failureFacts(error: unknown): ModelFailure {
  if (ModelError.isInstance(error)) return { cause: causeOf(error) };
  if (isUnreadable(error)) return { cause: 'unreadable' };
  const statusCode = memberOf(error, 'statusCode');
  const errorCode = errorCodeOf(error);
  const code = errorCode === undefined ? {} : { errorCode };
  if (typeof statusCode === 'number') return { statusCode, ...code };
  return isCallError(error) ? { cause: 'connection', ...code } : code;
}

function causeOf(error: ModelError): NonNullable<ModelFailure['cause']> {
  return error.code === 'unreachable' && !canComeBack(error) ? 'no-service' : CAUSES[error.code];
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

/** OpenAI uses `error.code`, Anthropic and llama.cpp `error.type`, Google `error.status`. */
function errorCodeOf(error: unknown): string | undefined {
  const text = memberOf(error, 'responseBody');
  const body = parseJson(typeof text === 'string' ? text : '');
  const told = body.success ? memberOf(body.value, 'error') : undefined;
  const known = ['code', 'type', 'status'].map((name) => memberOf(told, name));
  return known.find((value) => typeof value === 'string');
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
