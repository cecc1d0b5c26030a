/** Patience of a call that goes on while its server restarts: pauses between the tries, and their end. */
import { ServerError } from '@truecast/core/internal/errors/server-error';
import { delay } from './http-caller.ts';

/** Called before a try is repeated. `failures`: in a row, from 1. */
export type OnRetry = (error: ServerError, failures: number) => void;

export interface Patience {
  /** Waits before the next try. @throws the error if it does not pass, or after too many in a row */
  failed(error: unknown, signal: AbortSignal | undefined): Promise<void>;
  /** Ends the row of failures. */
  succeeded(): void;
}

/** First pause between two tries, to protect a restarting server. */
export const RECONNECT_MS = 250;
const LONGEST_MS = 15_000;
/** Failures in a row, in about 14 minutes. */
const MOST_FAILURES = 60;

/** A server with too much work has answered, so it is waited for without an end. */
export function createPatience(onRetry: OnRetry = () => undefined): Patience {
  let failures = 0;
  let pauseMs = RECONNECT_MS;
  return {
    async failed(error, signal) {
      if (!ServerError.isInstance(error) || !isPassing(error)) throw error;
      if (error.statusCode !== 429) {
        failures += 1;
        if (failures >= MOST_FAILURES) throw error;
        onRetry(error, failures);
      }
      await delay(pauseMs, signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_MS);
    },
    succeeded() {
      failures = 0;
      pauseMs = RECONNECT_MS;
    },
  };
}

/** Returns true for the failure of a server that restarts, or has too much work. */
export function isPassing(error: unknown): boolean {
  if (!ServerError.isInstance(error)) return false;
  const { code, statusCode = 0 } = error;
  return code === 'unreachable' || statusCode === 429 || statusCode >= 500;
}
