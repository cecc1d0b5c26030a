/**
 * Session id validation. An id comes from an agent's output. It must never change a path or be
 * parsed as a flag. Pure.
 */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/**
 * Returns `sessionId` if it is safe in a path and a command line.
 *
 * @throws UsageError `invalid-option`
 */
export function assertSessionId(sessionId: string): string {
  if (isSessionId(sessionId)) return sessionId;
  throw new UsageError(
    `Expected a session id of at most 128 letters, digits, underscores and hyphens, got ${describeValue(sessionId)}.`,
  );
}

/** Returns true if `sessionId` is safe in a path and a command line. */
export function isSessionId(sessionId: string): boolean {
  return typeof sessionId === 'string' && SESSION_ID.test(sessionId);
}
