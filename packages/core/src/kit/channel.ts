/** Channel: passes values from a producer to one reader, which can be slower. Pure. */

export interface Channel<TValue> extends AsyncIterable<TValue> {
  put(value: TValue): void;
  /** Ends the channel after the unread values. */
  end(): void;
  /** Ends it with an error, after the unread values. */
  fail(error: unknown): void;
}

type Ending = { readonly type: 'end' } | { readonly type: 'error'; readonly error: unknown };

/** Creates a channel. With `latest`, a slow reader gets only the latest value. */
export function createChannel<TValue>(keeps: 'all' | 'latest'): Channel<TValue> {
  let waiting: TValue[] = [];
  let ending: Ending | undefined;
  let wake = (): void => undefined;
  const change = (next: Ending): void => {
    ending ??= next;
    wake();
  };
  return {
    put(value) {
      if (ending !== undefined) return;
      if (keeps === 'latest') waiting = [];
      waiting.push(value);
      wake();
    },
    end: () => change({ type: 'end' }),
    fail: (error) => change({ type: 'error', error }),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const taken = waiting;
        waiting = [];
        yield* taken;
        if (waiting.length > 0) continue;
        if (ending?.type === 'error') throw ending.error;
        if (ending !== undefined) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
