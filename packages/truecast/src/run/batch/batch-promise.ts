/** Promise of a batch that is also an iterable of its results, which keeps none of them. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { BatchOptions, BatchSummary } from './batch-options.ts';
import type { HandedResult } from './batch-queue.ts';

/**
 * The counts of a batch, and with `for await` each result after it is stored, for one reader. Workers
 * wait for the reader, so at most one result for each of them is in memory. The loop throws the error of
 * the promise. To leave it early ends the batch.
 *
 * Begin the loop in the same tick as the call. A later one is refused.
 */
export type BatchPromise<TOutput = unknown> = Promise<BatchSummary> & AsyncIterable<HandedResult<TOutput>>;

/** Starts a batch, and hands over its results if a loop over the promise has begun by then. */
export function toBatchPromise(
  options: BatchOptions,
  work: (options: BatchOptions) => Promise<BatchSummary>,
): BatchPromise {
  const results = new Handover();
  let isRead = false;
  let isStarted = false;
  const summary = Promise.resolve().then(() => {
    isStarted = true;
    return work(isRead ? withReader(options, results) : options);
  });
  return Object.assign(summary, {
    [Symbol.asyncIterator]() {
      // Without a reader, the batch keeps no result.
      if (isStarted && !isRead) throw lateLoop();
      isRead = true;
      // A caller that only reads gets the failure from the loop, not as an unhandled rejection.
      const ended = summary.then(
        () => results.end(),
        (error: unknown) => results.fail(error),
      );
      return readAll(results, ended);
    },
  });
}

function lateLoop(): UsageError {
  return new UsageError(
    'Expected a loop over the batch to begin in the same tick as `runBatch()`: without one, no result is kept. Begin it earlier, pass `onResult`, or read the file of `out`.',
  );
}

async function* readAll(results: Handover, ended: Promise<void>): AsyncGenerator<HandedResult> {
  try {
    for (let next = await results.take(); next !== undefined; next = await results.take()) yield next;
  } finally {
    results.leave();
    // The caller continues when no worker runs any more.
    await ended;
  }
}

/** What is no object of options stays as it is, and is refused with the call. */
function withReader(options: BatchOptions, results: Handover): BatchOptions {
  if (typeof options !== 'object' || options === null) return options;
  const { signal } = options;
  const isOwn = signal instanceof AbortSignal;
  return {
    ...options,
    ...((isOwn || signal === undefined) && {
      signal: isOwn ? AbortSignal.any([signal, results.left]) : results.left,
    }),
    async onResult(result) {
      await options.onResult?.(result);
      await results.put(result);
    },
  };
}

/** Hands results of several workers to one reader. Holds what a waiting worker brings. */
class Handover {
  readonly #waiting: { readonly result: HandedResult; readonly release: () => void }[] = [];
  readonly #left = new AbortController();
  #wake: () => void = () => undefined;
  #end: { readonly error?: unknown } | undefined;

  /** Aborts when the reader has left before the end. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  /** Resolves when the reader has the result, or has left. */
  async put(result: HandedResult): Promise<void> {
    if (this.left.aborted) return;
    await new Promise<void>((release) => {
      this.#waiting.push({ result, release });
      this.#wake();
    });
  }

  /** Resolves to the next result, or to undefined at the end. */
  async take(): Promise<HandedResult | undefined> {
    for (;;) {
      const next = this.#waiting.shift();
      next?.release();
      if (next !== undefined) return next.result;
      if (this.#end !== undefined && 'error' in this.#end) throw this.#end.error;
      if (this.#end !== undefined) return undefined;
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }

  leave(): void {
    if (this.#end === undefined) this.#left.abort();
    for (const { release } of this.#waiting.splice(0)) release();
  }

  end(): void {
    this.#end = {};
    this.#wake();
  }

  fail(error: unknown): void {
    this.#end = { error };
    this.#wake();
  }
}
