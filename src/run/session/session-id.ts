/** Owns which session ids are taken. An id comes from what an agent printed: it must never name another path or be read as a flag. Pure. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';

const SESSION_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/;

/**
 * Returns `sessionId` when it can stand in a path and a command line.
 *
 * @throws UsageError `invalid-option`
 */
export function assertSessionId(sessionId: string): string {
  if (SESSION_ID.test(sessionId)) return sessionId;
  throw new UsageError(
    `Expected a session id of at most 128 letters, digits, underscores and hyphens, got ${describeValue(sessionId)}.`,
  );
}

/** Tells whether `sessionId` can stand in a path and a command line. */
export function isSessionId(sessionId: string): boolean {
  return SESSION_ID.test(sessionId);
}
