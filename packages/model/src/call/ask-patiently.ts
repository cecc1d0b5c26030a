/**
 * Transport retries: repeats a request after a network or service failure. Not an attempt of the
 * model.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelError } from '@truecast/core/internal/errors/model-error';
import { refusalIn } from '../failure/refusal.ts';
import { withTries } from '../failure/tries.ts';
import { canComeBack } from '../failure/unreachable.ts';

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
      if (delayMs === undefined) throw withTries(error, repeat + 1);
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
  if (ModelError.isInstance(error)) {
    return error.code === 'stream' || (error.code === 'unreachable' && canComeBack(error));
  }
  // A service reports an empty account with the status of a rate limit, and a prompt that is too long
  // with the one of a failure. Waiting does not help.
  if (FINAL.has(refusalIn(error)?.cause)) return false;
  return error instanceof Error && 'isRetryable' in error && error.isRetryable === true;
}

const FINAL: ReadonlySet<unknown> = new Set([
  'quota',
  'context-full',
  'request-size',
  'unknown-model',
  'key',
  'loading',
]);

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
