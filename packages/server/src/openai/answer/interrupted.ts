/** Failure of requests that a server shutdown interrupted. Pure. */
import type { WireOutcome } from '../wire/wire-answer.ts';

/**
 * The failure of an abandoned request: its caller disconnected, or the server stops.
 *
 * @param runId - durable run that continues
 */
export function interrupted(runId?: string): WireOutcome {
  const next =
    runId === undefined
      ? 'Send it again once the server runs.'
      : `The run \`${runId}\` of its agent continues. Read it with \`GET /api/runs/${runId}\`, or send the request again with the same \`Idempotency-Key\`.`;
  const message = `The server is stopping and ended the request. ${next}`;
  return { type: 'failed', failure: { status: 503, type: 'server_error', code: 'interrupted', message } };
}
