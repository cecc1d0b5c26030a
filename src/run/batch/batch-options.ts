/** Owns what a caller may ask of a batch, and what comes back. */
import type { Usage } from '../../errors/usage.ts';
import type { AnyOutputDefinition, InferOutput } from '../../output/definition.ts';
import type { RunOptions } from '../run-options.ts';
import type { BatchQueue, BatchResult } from './batch-queue.ts';
import type { BatchInputs } from './read-batch-inputs.ts';

/** What a run takes that a batch decides for each item. */
type DecidedPerItem =
  | 'prompt'
  | 'promptFile'
  | 'promptArgs'
  | 'branchStrategy'
  | 'resumeSession'
  | 'forkSession'
  | 'onPartialOutput';

/** What `runBatch()` takes: what each run takes, and how there are many. */
export interface BatchOptions extends Omit<RunOptions, DecidedPerItem> {
  /** Path of a file with one JSON object a line, or the objects themselves. Exactly one of `inputs` and `queue`. */
  readonly inputs?: BatchInputs;
  /** Where items come from, and where what became of them is kept. */
  readonly queue?: BatchQueue;
  /** The prompt, as a template: `{{KEY}}`s are the keys of each input, which can never become a command. Exactly one of `prompt` and `promptFile`. */
  readonly prompt?: string;
  /** A file with the template; read once, at the start. */
  readonly promptFile?: string;
  /** File that results are appended to, one JSON object a line; what it holds already is not done again. @default none */
  readonly out?: string;
  /** Does again what failed before. @default false */
  readonly retryFailed?: boolean;
  /** How many runs at once. @default 4 */
  readonly concurrency?: number;
  /** Each item works on a branch `<prefix>/<id or line>-<6 hex>`. @default temporary names, `truecast/<name or batch>/…` */
  readonly branchPrefix?: string;
  /**
   * Agents only read: items share a worktree and a sandbox, one for each of `concurrency`, which saves a checkout for each.
   * After an item that wrote all the same, or failed, the next one gets a fresh one. @default false
   */
  readonly readOnly?: boolean;
  /** Stands for the agent in an item's key; another one makes all items new. @default the agent's name and model */
  readonly agentId?: string;
  /** Is called with each result when it is kept; the worker waits for it, and what it throws ends the batch. */
  readonly onResult?: (result: BatchResult) => void | Promise<void>;
  /** Is called when an item begins or ends; what it throws is ignored. */
  readonly onProgress?: (progress: BatchProgress) => void;
}

/** `BatchOptions` with an output, whose results are typed. */
export type BatchOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  BatchOptions,
  'output' | 'onResult'
> & {
  readonly output: TDefinition;
  readonly onResult?: (result: BatchResult<InferOutput<TDefinition>>) => void | Promise<void>;
};

/** How far a batch is. */
export interface BatchProgress {
  /** Items that got an answer in this start. */
  readonly ok: number;
  /** Items that failed in this start. */
  readonly failed: number;
  readonly running: number;
  /** Items that an earlier start did, as far as they were come across. */
  readonly okEarlier: number;
  readonly failedEarlier: number;
  /** All inputs; absent where they are not a file. */
  readonly total?: number;
  /** What the batch has used so far, earlier starts included. */
  readonly usage?: Usage;
  readonly elapsedMs: number;
  /** What is left at the pace so far; absent until something ended, or without a total. */
  readonly remainingMs?: number;
  /** What ended, where something did. */
  readonly result?: BatchResult;
}

/** What a batch resolves to. */
export type BatchSummary = Omit<BatchProgress, 'remainingMs' | 'result' | 'running'>;
