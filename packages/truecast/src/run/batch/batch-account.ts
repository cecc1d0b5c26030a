/** Progress, usage and budget accounting of a batch. */
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { sumUsage, type Usage, priceUsage, type Prices } from '@truecast/core/internal/kit/usage';
import { budgetError } from '../accounting/budget.ts';
import type { RunEvent } from '../events/run-events.ts';
import type { Budget } from '../options/run-bounds.ts';
import type { BatchProgress, BatchSummary } from './batch-options.ts';
import type { BatchResult } from './batch-queue.ts';

/** Running totals of a batch. */
export interface BatchAccount {
  begin(key: string): void;
  /** Adds an event of an item's run. Returns an error if the budget is exceeded. */
  see(key: string, event: RunEvent): LimitError | undefined;
  /** Marks an item whose run has ended, and whose branch waits to land. */
  land(key: string): void;
  /** Ends an item without a result. The item is not counted, but its usage is. */
  drop(key: string): void;
  end(result: BatchResult): LimitError | undefined;
  skip(status: BatchResult['status']): void;
  progress(result?: BatchResult): BatchProgress;
  summary(): BatchSummary;
}

/** Initial values of an account. */
export interface BatchAccountOptions {
  readonly total: number | undefined;
  /** Usage of earlier starts. */
  readonly usage: Usage | undefined;
  readonly budget: Budget | undefined;
  readonly prices: Prices | undefined;
}

const NO_COUNTS = {
  ok: 0,
  question: 0,
  declined: 0,
  failed: 0,
  okEarlier: 0,
  questionEarlier: 0,
  declinedEarlier: 0,
  failedEarlier: 0,
};

export function createBatchAccount({ total, usage, budget, prices }: BatchAccountOptions): BatchAccount {
  const startedMs = performance.now();
  const counts = { ...NO_COUNTS };
  const running = new Map<string, Map<number, Usage>>();
  const landing = new Set<string>();
  let ended = usage;
  const used = (): Usage | undefined =>
    sumUsage([ended, ...[...running.values()].flatMap((turns) => [...turns.values()])]);
  const spent = (): LimitError | undefined => {
    const error = budgetError(used(), budget);
    return error && toBatchError(error, { budget, usage: used() });
  };
  const summary = (): BatchSummary => {
    const sum = used();
    return {
      ...counts,
      ...(total !== undefined && { total }),
      ...(sum !== undefined && { usage: sum }),
      elapsedMs: Math.round(performance.now() - startedMs),
    };
  };
  return {
    begin: (key) => void running.set(key, new Map()),
    see(key, event) {
      if (event.type !== 'usage') return undefined;
      // Cumulative usage of one process. A retry is another process.
      running.get(key)?.set(event.iteration, priceUsage(event.usage, prices));
      return spent();
    },
    land: (key) => void landing.add(key),
    drop(key) {
      landing.delete(key);
      ended = sumUsage([ended, ...(running.get(key)?.values() ?? [])]);
      running.delete(key);
    },
    end(result) {
      landing.delete(result.key);
      running.delete(result.key);
      ended = sumUsage([ended, result.usage]);
      counts[result.status] += 1;
      return spent();
    },
    skip: (status) => void (counts[`${status}Earlier`] += 1),
    progress(result) {
      const remainingMs = estimate(counts, total, performance.now() - startedMs);
      return {
        ...summary(),
        running: running.size - landing.size,
        ...(landing.size > 0 && { landing: landing.size }),
        ...(remainingMs !== undefined && { remainingMs }),
        ...(result !== undefined && { result }),
      };
    },
    summary,
  };
}

type Counts = Readonly<Record<BatchResult['status'] | `${BatchResult['status']}Earlier`, number>>;

/**
 * Estimates the remaining time. Skipped items take almost no time, so only executed items determine
 * the pace.
 */
function estimate(counts: Counts, total: number | undefined, elapsedMs: number): number | undefined {
  const { ok, question, declined, failed } = counts;
  const executed = ok + question + declined + failed;
  if (total === undefined || executed === 0) return undefined;
  const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return Math.round((elapsedMs / executed) * Math.max(0, total - done));
}

/** Converts the error of a budget to that of the batch. */
export function toBatchError(
  { code }: LimitError,
  { budget = {}, usage }: { readonly budget: Budget | undefined; readonly usage: Usage | undefined },
): LimitError {
  const { usd, requests, tokens } = budget;
  const bound =
    code === 'money'
      ? `${usd} US dollars`
      : code === 'requests'
        ? `${requests} requests`
        : `${tokens} tokens`;
  return new LimitError(
    `The batch has used its budget of ${bound} and was stopped. Its results are kept. To continue, raise the budget and start the batch again.`,
    { code, ...(usage !== undefined && { usage }) },
  );
}
