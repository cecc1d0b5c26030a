/** Contestant of a comparison, and the tasks that it answers. */
import type { BatchItem, BatchResult } from '../../run/batch/batch-queue.ts';
import type { Budget } from '../../run/options/run-bounds.ts';

/** One task for one contestant. */
export interface CompareTask {
  readonly item: BatchItem;
  /** Counts from 1. Seed of a model's sampling. */
  readonly repeat: number;
  readonly signal: AbortSignal;
  /** Rest of the comparison's budget. */
  readonly budget: Budget | undefined;
}

/** An agent or a model on one route. */
export interface Contestant {
  /** Unique in the comparison. */
  readonly name: string;
  /** Everything besides the task that changes its answers. Part of a result's key. */
  readonly identity: string;
  /**
   * Answers a task. A failure is a result.
   *
   * @throws UsageError, which every task would cause; LimitError of the budget; the signal's reason
   */
  attempt(task: CompareTask): Promise<BatchResult>;
}

/** Definition of the task that all contestants share. */
export interface ComparedTask {
  /** Prompt template with `{{KEY}}`s of an input. */
  readonly template: string;
  readonly schema?: string;
  readonly tag?: string;
  readonly maxRetries?: number;
  readonly timeout?: number;
}
