/** Owns handing on values of which only the latest matters, to a reader who may be slow. Pure. */

/** Values on their way to one reader. */
export interface Latest<TValue> extends AsyncIterable<TValue> {
  /** Replaces the value that is not read yet. */
  put(value: TValue): void;
  /** Ends the reading after the value that is not read yet. */
  end(): void;
  /** Ends it with an error. */
  fail(error: unknown): void;
}

type Ending = { readonly type: 'end' } | { readonly type: 'error'; readonly error: unknown };

/** Makes an empty one. */
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
