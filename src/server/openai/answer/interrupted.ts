/** Failure of requests that a server shutdown interrupted. Pure. */
import type { WireOutcome } from '../wire/wire-answer.ts';

/** The failure of an abandoned request: its caller disconnected, or the server stops. */
export function interrupted(): WireOutcome {
  const message = 'The server stops, and the request with it. Ask again once it runs.';
  return { type: 'failed', failure: { status: 503, type: 'server_error', code: 'interrupted', message } };
}
