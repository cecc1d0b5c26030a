/** Defaults and validation of batch options, as far as possible without disk access. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { assertNestedOptions } from '../options/assert-run-options.ts';
import { assertBranchName } from '../../git/command/branch-name.ts';
import { normalizeRunOptions } from '../options/normalize-run-options.ts';
import { assertReadOnly, READ_ONLY_BATCH } from '../options/read-only.ts';
import { MOVED_OPTIONS, OTHER_WORDS } from '../options/renamed-options.ts';
import { RUN_OPTIONS } from '../options/run-option-names.ts';
import type { RunOptions } from '../options/run-options.ts';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import type { Attachment } from '../attachments/attachment.ts';
import type { BatchOptions } from './batch-options.ts';
import type { BatchInput } from './batch-queue.ts';

/** Enough parallel runs to keep a model service busy, and few enough for a laptop. */
const DEFAULT_CONCURRENCY = 4;

/** Options of each run in a batch, except its prompt and its branch. */
export type SharedRunOptions = Omit<RunOptions, 'prompt' | 'promptFile' | 'promptArgs' | 'branchStrategy'>;

type AsGiven =
  | 'inputs'
  | 'queue'
  | 'prompt'
  | 'promptFile'
  | 'promptArgs'
  | 'out'
  | 'branchPrefix'
  | 'branchStrategy'
  | 'onResult'
  | 'onEvent'
  | 'onProgress';

const BATCH_OPTIONS: OptionNames<Omit<BatchOptions, keyof RunOptions>> = {
  onEvent: true,
  inputs: true,
  queue: true,
  out: true,
  retryFailed: true,
  concurrency: true,
  branchPrefix: true,
  agentId: true,
  onResult: true,
  onProgress: true,
};

/** An id belongs to one run, and the items have keys. */
const { id: _id, onCheckpoint: _onCheckpoint, ...SHARED } = RUN_OPTIONS;

const KNOWN = {
  of: '`runBatch()`',
  names: { ...SHARED, ...BATCH_OPTIONS },
  moved: { ...OTHER_WORDS, ...MOVED_OPTIONS, items: 'inputs' },
};

/** Functions of the caller, each absent if all items have the same value. */
export interface PerItem {
  readonly cwd: ((input: BatchInput) => string) | undefined;
  readonly attachments: ((input: BatchInput) => readonly Attachment[]) | undefined;
}

export interface NormalizedBatchOptions {
  readonly batch: {
    readonly [Name in AsGiven]: BatchOptions[Name] | undefined;
  } & {
    readonly retryFailed: boolean;
    readonly readOnly: boolean;
    readonly concurrency: number;
    readonly agentId: string;
    readonly perItem: PerItem;
  };
  readonly run: SharedRunOptions;
  readonly cwd: string;
  readonly gitTimeoutMs: number;
}

/**
 * Validates the options of a batch and its runs, and adds defaults.
 *
 * @throws UsageError; RepositoryError `invalid-branch`
 */
export function normalizeBatchOptions(options: BatchOptions): NormalizedBatchOptions {
  assertKnownOptions(options, KNOWN);
  const {
    inputs,
    queue,
    prompt,
    promptFile,
    promptArgs,
    out,
    retryFailed,
    readOnly,
    concurrency: _concurrency,
    branchPrefix,
    branchStrategy,
    agentId,
    onResult,
    onEvent,
    onProgress,
    cwd: place,
    attachments,
    ...shared
  } = options;
  const run: SharedRunOptions = {
    ...shared,
    ...(place !== undefined && typeof place !== 'function' && { cwd: place }),
    ...(attachments !== undefined && typeof attachments !== 'function' && { attachments }),
  };
  assertSource(options);
  assertLanding(options);
  assertReadOnly(options, READ_ONLY_BATCH);
  const workers = checkedWorkers(options);
  // Placeholder prompt. The real prompts depend on the items, but all other options must be
  // validated before the first item.
  const { cwd, timeouts } = normalizeRunOptions({
    ...run,
    prompt: 'stand-in',
    branchStrategy: { type: 'branch', branch: 'stand-in' },
  });
  return {
    batch: {
      inputs,
      queue,
      prompt,
      promptFile,
      promptArgs,
      out,
      branchPrefix,
      branchStrategy,
      onResult,
      onEvent,
      onProgress,
      perItem: perItemOf(options),
      retryFailed: retryFailed ?? false,
      readOnly: readOnly ?? false,
      concurrency: workers,
      agentId: agentId ?? [run.agent.name, run.agent.model].filter((part) => part !== undefined).join(':'),
    },
    run,
    cwd,
    gitTimeoutMs: timeouts.gitSetupMs,
  };
}

function perItemOf({ cwd, attachments }: BatchOptions): PerItem {
  return {
    cwd: typeof cwd === 'function' ? cwd : undefined,
    attachments: typeof attachments === 'function' ? attachments : undefined,
  };
}

/** Checks the names of branches, and returns the number of workers. */
function checkedWorkers({ branchPrefix, concurrency }: BatchOptions): number {
  if (branchPrefix !== undefined) assertBranchName(`${branchPrefix}/1`);
  const workers = concurrency ?? DEFAULT_CONCURRENCY;
  if (!Number.isInteger(workers) || workers < 1) {
    throw new UsageError(
      `Expected \`concurrency\` to be an integer of 1 or more, got ${describeValue(concurrency)}.`,
    );
  }
  return workers;
}

/** Rejects a strategy that the batch would ignore. */
function assertLanding({ branchStrategy, publish }: BatchOptions): void {
  if (branchStrategy === undefined) return;
  assertNestedOptions({ branchStrategy });
  const { type } = branchStrategy;
  if (type !== 'merge-to-head' || 'branchPrefix' in branchStrategy || 'branch' in branchStrategy) {
    throw new UsageError(
      `Expected \`branchStrategy\` of a batch to be \`{ type: 'merge-to-head', check }\`, got ${describeValue(branchStrategy)}. Each item has its own branch: to name them, set \`branchPrefix\` of the batch.`,
    );
  }
  if (publish === undefined) return;
  throw new UsageError(
    '`branchStrategy` merges the commits of items, but with `publish` nothing is merged. Remove one of them.',
  );
}

function assertSource({ inputs, queue, prompt, promptFile, out, retryFailed }: BatchOptions): void {
  if ((inputs === undefined) === (queue === undefined)) {
    throw new UsageError(
      `Expected exactly one of \`inputs\` and \`queue\`, got ${inputs === undefined ? 'neither' : 'both'}. Pass the path of a file with one JSON object per line.`,
    );
  }
  if ((prompt === undefined) === (promptFile === undefined)) {
    throw new UsageError(
      `Expected exactly one of \`prompt\` and \`promptFile\`, got ${prompt === undefined ? 'neither' : 'both'}. Pass a template that uses the inputs' keys as \`{{KEY}}\`.`,
    );
  }
  for (const [name, value] of Object.entries({ prompt, promptFile })) {
    if (value !== undefined && typeof value !== 'string') {
      throw new UsageError(
        `Expected \`${name}\` to be a string, got ${describeValue(value)}. Write the inputs' keys as \`{{KEY}}\`.`,
      );
    }
  }
  if (queue !== undefined && (out !== undefined || retryFailed === true)) {
    throw new UsageError(
      '`out` and `retryFailed` need `inputs`: a `queue` stores its own results. Remove them.',
    );
  }
  if (out === undefined && retryFailed === true) {
    throw new UsageError(
      '`retryFailed` needs `out`, the file that lists earlier failures. Pass it, or remove `retryFailed`.',
    );
  }
}
