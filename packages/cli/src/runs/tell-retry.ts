/** Message of a command that waits for a server which fails or is away. */
import type { OnRetry } from '@truecast/client/internal/calls/patience';
import { tell, type Terminal } from '../terminal/print.ts';

/** A server that restarts is away for a moment, which needs no message. */
const TOLD_AT: readonly number[] = [3, 20, 40];

/** Returns the listener, which says a few times that the command waits. */
export function tellRetry(terminal: Terminal): OnRetry {
  return ({ message }, failures) => {
    if (TOLD_AT.includes(failures)) tell(`Waiting for the server: ${message}`, terminal, 'aside');
  };
}
