/** Conflating channel: a slow reader gets only the latest value. Pure. */

/** Values for one reader. */
export interface Latest<TValue> extends AsyncIterable<TValue> {
  /** Replaces the unread value. */
  put(value: TValue): void;
  /** Ends the channel after the unread value. */
  end(): void;
  /** Ends it with an error. */
  fail(error: unknown): void;
}

type Ending = { readonly type: 'end' } | { readonly type: 'error'; readonly error: unknown };

/** Creates an empty channel. */
export function createLatest<TValue>(): Latest<TValue> {
  let waiting: { readonly value: TValue } | undefined;
  let ending: Ending | undefined;
  let wake = (): void => undefined;
  const change = (next: Ending): void => {
    ending = next;
    wake();
  };
  return {
    put(value) {
      waiting = { value };
      wake();
    },
    end: () => change({ type: 'end' }),
    fail: (error) => change({ type: 'error', error }),
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const taken = waiting;
        waiting = undefined;
        if (taken !== undefined) yield taken.value;
        else if (ending?.type === 'error') throw ending.error;
        else if (ending !== undefined) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
