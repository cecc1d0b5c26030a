/** Failure of requests that a server shutdown interrupted. Pure. */
import type { WireOutcome } from '../wire/wire-answer.ts';

/** The failure of an abandoned request: its caller disconnected, or the server stops. */
export function interrupted(): WireOutcome {
  const message = 'The server is stopping and ended the request. Send it again once the server runs.';
  return { type: 'failed', failure: { status: 503, type: 'server_error', code: 'interrupted', message } };
}
