/** In-process queue of a batch: reads inputs on demand and writes results to an optional file. */
import type { BatchItem, BatchQueue, BatchResult } from './batch-queue.ts';
import type { ResultsFile } from './results-file.ts';

export interface InProcessQueueOptions {
  readonly items: AsyncGenerator<BatchItem>;
  /** Undefined if results are not stored. */
  readonly results: ResultsFile | undefined;
  /** If true, items that failed before are returned again. */
  readonly retriesFailed: boolean;
  /** Called for each skipped item that is already done. */
  readonly onSkip: (status: BatchResult['status']) => void;
}

/** Creates a queue of the items without a stored result. Reads one input at a time. */
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
    // An item without a result is processed by the next start.
    release: () => Promise.resolve(),
  };
}
