/**
 * Long polls of a client: a few are open at a time, first come, first served. A server limits the open
 * requests of a token, and the client's other calls need some of them.
 */
import type { Connection } from './http-caller.ts';

/** Half of what a server allows to streams by default, and a quarter of what it allows to requests. */
const MOST_OPEN = 16;

interface Polls {
  open: number;
  readonly waiting: Set<() => void>;
}

const pollsOf = new WeakMap<Connection, Polls>();

/** Polls when fewer polls are open. Rejects with the signal's reason if it is aborted before. */
export async function pollInTurn<T>(
  connection: Connection,
  poll: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const polls = pollsOf.get(connection) ?? { open: 0, waiting: new Set() };
  pollsOf.set(connection, polls);
  if (polls.open < MOST_OPEN) polls.open += 1;
  else await turnOf(polls, signal);
  try {
    return await poll();
  } finally {
    const [next] = polls.waiting;
    if (next === undefined) polls.open -= 1;
    else next();
  }
}

function turnOf({ waiting }: Polls, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      waiting.delete(settle);
      signal?.removeEventListener('abort', settle);
      if (signal?.aborted === true) reject(signal.reason);
      else resolve();
    };
    waiting.add(settle);
    signal?.addEventListener('abort', settle);
    if (signal?.aborted === true) settle();
  });
}
