/**
 * Transport retries: repeats a request after a network or service failure. Not an attempt of the
 * model.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { canComeBack } from './unreachable.ts';

/** Retries after the first request. */
const MAX_REPEATS = 2;
const FIRST_DELAY_MS = 500;
/** Maximum `retry-after`. Longer waits are not accepted. */
const MAX_DELAY_MS = 60_000;

/** Retry policy. */
export interface PatienceOptions {
  readonly signal: AbortSignal | undefined;
  /** Returns true for an error that a retry cannot fix, whatever its status. */
  isFinal(error: unknown): boolean;
}

/**
 * Sends a request until it succeeds, with the delay that the service requests. Rejects with the
 * last error.
 */
export async function askPatiently<TReply>(
  request: () => Promise<TReply>,
  { signal, isFinal }: PatienceOptions,
): Promise<TReply> {
  for (let repeat = 0; ; repeat += 1) {
    signal?.throwIfAborted();
    try {
      return await request();
    } catch (error) {
      signal?.throwIfAborted();
      const delayMs = isFinal(error) ? undefined : delayAfter(error, repeat);
      if (delayMs === undefined) throw error;
      await sleep(delayMs, undefined, { ...(signal !== undefined && { signal }) }).catch(() =>
        signal?.throwIfAborted(),
      );
    }
  }
}

/** Returns undefined if a retry is useless. */
function delayAfter(error: unknown, repeat: number): number | undefined {
  if (repeat >= MAX_REPEATS || !isTransient(error)) return undefined;
  const asked = retryAfterMs(error);
  if (asked !== undefined && asked > MAX_DELAY_MS) return undefined;
  return asked ?? FIRST_DELAY_MS * 2 ** repeat;
}

function isTransient(error: unknown): boolean {
  if (ModelError.isInstance(error))
    return error.code === 'stream' || (error.code === 'unreachable' && canComeBack(error));
  if (isOutOfCredit(error)) return false;
  return error instanceof Error && 'isRetryable' in error && error.isRetryable === true;
}

/** OpenAI reports an empty account with the status of a rate limit. Waiting does not help. */
function isOutOfCredit(error: unknown): boolean {
  const body = error instanceof Error && 'responseBody' in error ? error.responseBody : undefined;
  return typeof body === 'string' && body.includes('insufficient_quota');
}

function retryAfterMs(error: unknown): number | undefined {
  const headers = error instanceof Error && 'responseHeaders' in error ? error.responseHeaders : undefined;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const byName: Readonly<Record<string, unknown>> = { ...headers };
  const text = byName['retry-after-ms'] ?? byName['retry-after'];
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const unitMs = byName['retry-after-ms'] === undefined ? 1_000 : 1;
  const amount = Number(text);
  const delayMs = Number.isNaN(amount) ? Date.parse(text) - Date.now() : amount * unitMs;
  return Number.isNaN(delayMs) ? undefined : Math.max(0, delayMs);
}

/** Errors that the SDK throws before it sends anything. */
const CALLERS_FAULTS: readonly string[] = [
  'AI_InvalidPromptError',
  'AI_InvalidArgumentError',
  'AI_InvalidMessageRoleError',
  'AI_LoadAPIKeyError',
  'AI_UnsupportedModelVersionError',
];

/** The error of a request that failed permanently. Our own errors pass unchanged. */
export function toModelError(cause: unknown): unknown {
  if (!(cause instanceof Error) || !cause.name.startsWith('AI_')) return cause;
  if (CALLERS_FAULTS.includes(cause.name)) {
    return new UsageError(`The AI SDK refused the call: ${cut(cause.message)} Correct the call.`, { cause });
  }
  const statusCode =
    'statusCode' in cause && typeof cause.statusCode === 'number' ? cause.statusCode : undefined;
  const told = statusCode === undefined ? 'could not be called' : `answered with status ${statusCode}`;
  const later = isOutOfCredit(cause)
    ? 'Add credit to the account, or use another key.'
    : 'Try again later, or raise the limit.';
  return new ModelError(
    `The model's service ${told}: ${saidIn(cause)}. ${statusCode === 429 ? later : 'Check the model, its key and its address.'}`,
    {
      code: statusCode === 429 ? 'rate-limit' : 'http',
      cause,
      ...(statusCode !== undefined && { statusCode }),
    },
  );
}

/** For servers with their own error format the SDK's message has the status only. */
function saidIn(cause: Error): string {
  const body = 'responseBody' in cause && typeof cause.responseBody === 'string' ? cause.responseBody : '';
  const isTold =
    body === '' || (cause.message !== '' && body.includes(JSON.stringify(cause.message).slice(1, -1)));
  return isTold ? cut(cause.message.replace(/\.$/u, '')) : `${cut(cause.message)}: ${cut(body)}`;
}
