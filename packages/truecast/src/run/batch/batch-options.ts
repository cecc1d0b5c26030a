/** Options and progress types of a batch. */
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { MergeToHeadBranchStrategy } from '../../git/command/branch-strategy.ts';
import type { PromptArgs } from '../prompt/prompt-template.ts';
import type { RunEvent } from '../events/run-events.ts';
import type { RunOptions, RunTools, TypedByOutput } from '../options/run-options.ts';
import type { Attachment } from '../attachments/attachment.ts';
import type { BatchInput, BatchItem, BatchQueue, BatchResult, HandedResult } from './batch-queue.ts';
import type { BatchInputs } from './read-batch-inputs.ts';

/** Run options that a batch sets for each item. */
type DecidedPerItem =
  | 'prompt'
  | 'promptFile'
  | 'branchStrategy'
  | 'readOnly'
  | 'session'
  | 'onPartial'
  | 'id'
  | 'onCheckpoint';

/** Options of `runBatch()`: the options of each run, and those of the batch. */
export interface BatchOptions extends Omit<RunOptions, DecidedPerItem | 'cwd' | 'attachments'> {
  /**
   * Host repository, or a folder in it. A function returns that of each item, so a batch can work on several
   * repositories. It can be called several times for one input. @default `process.cwd()`
   */
  readonly cwd?: string | ((input: BatchInput) => string);
  /**
   * Files for the agents to read, as `attachments` of `run()`: the same for all items, or by a function those
   * of each item. They are not part of an item's key. @default none
   */
  readonly attachments?: readonly Attachment[] | ((input: BatchInput) => readonly Attachment[]);
  /**
   * Path of a file with one JSON object per line, or the objects themselves. Pass exactly one of
   * `inputs` and `queue`.
   */
  readonly inputs?: BatchInputs;
  /** Custom source of items and store of results. */
  readonly queue?: BatchQueue;
  /**
   * Prompt template. Each `{{KEY}}` is replaced by that key of the input, which can never become a
   * command. Pass exactly one of `prompt` and `promptFile`.
   */
  readonly prompt?: string;
  /** Path of the template file, read once at the start. */
  readonly promptFile?: string;
  /**
   * Values for keys of the template that all items share. They take precedence over the values of
   * an input.
   * @default none
   */
  readonly promptArgs?: PromptArgs;
  /**
   * File for results, one JSON object per line, in append mode. Items that it already contains are
   * skipped. @default none
   */
  readonly out?: string;
  /** Repeats items that failed before, but no question and no refusal. @default false */
  readonly retryFailed?: boolean;
  /** Number of parallel runs. @default 4 */
  readonly concurrency?: number;
  /**
   * Prefix of item branches, named `<prefix>/<id or line>-<6 hex>`. @default temporary names,
   * `truecast/<name or batch>/…`
   */
  readonly branchPrefix?: string;
  /**
   * Merges the commits of each item when its run ends, one item after the other, in the order in which
   * they end. `check` runs on the merged files before they land. Other items go on. An item whose
   * branch does not land fails with the reason, such as `check-failed`, and keeps the branch.
   * @default nothing is merged
   */
  readonly branchStrategy?: Omit<MergeToHeadBranchStrategy, 'branch' | 'branchPrefix'>;
  /**
   * Throws away what agents write, as `readOnly` of `run()`. Each of the `concurrency` workers then
   * reuses one worktree and sandbox, which saves a checkout per item. After an item that failed or wrote
   * files, the next one gets a new worktree. @default false
   */
  readonly readOnly?: boolean;
  /**
   * Identity of the agent in an item's key. A change makes all items new. @default the agent's name
   * and model
   */
  readonly agentId?: string;
  /**
   * Called with each result and its input after it is stored. The worker waits for the callback. If it throws,
   * the batch ends.
   */
  readonly onResult?: (result: HandedResult) => void | Promise<void>;
  /**
   * Called with each event of each run, and the run's item. Errors that it throws are ignored.
   */
  readonly onEvent?: (event: RunEvent, item: BatchItem) => void;
  /** Called when an item begins or ends. Errors that it throws are ignored. */
  readonly onProgress?: (progress: BatchProgress) => void;
}

/** `BatchOptions` with an output and typed results. */
export type BatchOptionsWithOutput<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> = Omit<BatchOptions, 'output' | 'onResult' | 'tools' | 'until'> & {
  readonly output: TDefinition;
  readonly tools?: RunTools<TInputs>;
  readonly until?: NonNullable<TypedByOutput<TDefinition>['until']>;
  readonly onResult?: (result: HandedResult<InferOutput<TDefinition>>) => void | Promise<void>;
};

export interface BatchProgress {
  /** Items with an answer in this start. */
  readonly ok: number;
  /** Items whose agent asked a question in this start. */
  readonly question: number;
  /** Items whose agent declined in this start. */
  readonly declined: number;
  /** Items that failed in this start. */
  readonly failed: number;
  /** Items that run now. */
  readonly running: number;
  /** Items whose branches wait to land. They do not count as running. Absent without any. */
  readonly landing?: number;
  /** Items of earlier starts that were skipped so far. */
  readonly okEarlier: number;
  /** Items whose agent asked a question in an earlier start. They are not repeated. */
  readonly questionEarlier: number;
  /** Items whose agent declined in an earlier start. They are not repeated. */
  readonly declinedEarlier: number;
  /** Items that failed in earlier starts and were not repeated. */
  readonly failedEarlier: number;
  /** Number of all inputs. Absent if they are not a file. */
  readonly total?: number;
  /** Usage of the batch so far, including earlier starts. */
  readonly usage?: Usage;
  /** Time since this start. */
  readonly elapsedMs: number;
  /** Estimated remaining time. Absent before the first result, or without a total. */
  readonly remainingMs?: number;
  /** The result, if an item ended. */
  readonly result?: BatchResult;
}

/** Final result of a batch. */
export type BatchSummary = Omit<BatchProgress, 'remainingMs' | 'result' | 'running' | 'landing'>;
