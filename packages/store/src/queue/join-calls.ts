/** Joined calls: those of one turn of the event loop become one. */

/** Returns a function whose calls are handed to `send` together. Each one ends as the joined call does. */
export function joinCalls<T>(send: (all: readonly T[]) => Promise<unknown>): (one: T) => Promise<void> {
  let waiting: T[] = [];
  let sent: Promise<void> | undefined;
  const sendAll = async (): Promise<void> => {
    await new Promise(setImmediate);
    const all = waiting;
    waiting = [];
    sent = undefined;
    await send(all);
  };
  return (one) => {
    waiting.push(one);
    sent ??= sendAll();
    return sent;
  };
}
