/** Contestant of a comparison, and the tasks that it answers. */
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import type { Budget } from 'truecast/internal/run/options/run-bounds';

/** One task for one contestant. */
export interface CompareTask {
  readonly item: BatchItem;
  /** Counts from 1. Seed of a model's sampling. */
  readonly repeat: number;
  readonly signal: AbortSignal;
  /** Rest of the comparison's budget. */
  readonly budget: Budget | undefined;
}

/** A check command, and the answer that it judges. */
export interface AnswerCheckOptions {
  readonly command: string;
  /** The answer's JSON. */
  readonly stdin: string;
  readonly result: BatchResult;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Returns true if the command accepts the answer. */
export type AnswerCheck = (options: AnswerCheckOptions) => Promise<boolean>;

/** An agent or a model in one mode. */
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
  /** Runs a check where the contestant's work is. @default on the host, in the current folder */
  readonly check?: AnswerCheck;
}

/** The place where agents work. */
export interface AgentPlace {
  readonly sandbox: SandboxProvider;
  readonly cwd?: string;
}

/** Definition of the task that all contestants share. */
export interface ComparedTask {
  /** Prompt template with `{{KEY}}`s of an input. */
  readonly template: string;
  readonly schema?: string;
  readonly tag?: string;
  readonly maxCorrections?: number;
  readonly timeout?: number;
}
