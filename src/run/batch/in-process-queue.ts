/** Owns the queue of a batch inside one process: inputs as they are read, results to a file where there is one. */
import type { BatchItem, BatchQueue } from './batch-queue.ts';
import type { ResultsFile } from './results-file.ts';

/** What the queue is made of. */
export interface InProcessQueueOptions {
  readonly items: AsyncGenerator<BatchItem>;
  /** Undefined where nothing is kept. */
  readonly results: ResultsFile | undefined;
  /** Hands out again what failed before. */
  readonly retriesFailed: boolean;
  /** Is told of each item that is not handed out, since it is done. */
  readonly onSkip: (status: 'ok' | 'failed') => void;
}

/** Makes a queue that hands out what the results do not hold yet. Reads one input at a time. */
export function createInProcessQueue(options: InProcessQueueOptions): BatchQueue {
  const { items, results, retriesFailed, onSkip } = options;
  return {
    async claim(signal) {
      while (!signal.aborted) {
        const next = await items.next();
        if (next.done === true) return undefined;
        const item = next.value;
        const status = results?.recorded.get(item.key);
        if (status === undefined || (status === 'failed' && retriesFailed)) return item;
        onSkip(status);
      }
      return undefined;
    },
    complete: async (_item, result) => results?.append(result),
    fail: async (_item, result) => results?.append(result),
    // What has no result is handed out by the next start.
    release: () => Promise.resolve(),
  };
}
