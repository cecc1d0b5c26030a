/** Owns what a request is told that the server's own end cut off. Pure. */
import type { WireOutcome } from './wire-answer.ts';

/** The failure of a request that nobody answers any more: its caller left, or the server stops. */
export function interrupted(): WireOutcome {
  const message = 'The server stops, and the request with it. Ask again once it runs.';
  return { type: 'failed', failure: { status: 503, type: 'server_error', code: 'interrupted', message } };
}
