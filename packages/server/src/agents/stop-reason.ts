/** Reasons with which the server aborts the work of turns, tools and agents. Pure. */

/** Why a worker has to stop. */
export type StopReason = 'interrupting' | 'lost' | 'shutdown';

/** Shared, because a new error for each abort would record a stack. */
const stop = (message: string): DOMException => new DOMException(message, 'AbortError');

/** Reasons of aborted signals. `unwatched`: the worker has left the turn. */
export const STOPS: Readonly<Record<StopReason | 'unwatched', DOMException>> = {
  interrupting: stop('The turn was interrupted.'),
  lost: stop('Another worker has the turn.'),
  shutdown: stop('The server is stopping.'),
  unwatched: stop('The turn has stopped.'),
};

/** Returns true if only this worker stops. Work that needs no worker continues, for the next one. */
export function isLeft({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason === STOPS.lost || reason === STOPS.shutdown || reason === STOPS.unwatched);
}
