/** Options and results of a sandbox that outlives its runs. */
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type {
  CommitRef,
  RecoveredRef,
  SensitiveChange,
} from '@truecast/core/internal/errors/base/run-evidence';
import { assertMergeValues, type MergeOptions, type MergeResult } from './merge-options.ts';
import type { RunTimeouts, Timeouts } from './run-bounds.ts';
import type { PromptArgs } from '../prompt/prompt-template.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { ReadOnlyRunResult, ReadOnlyRunResultWithOutput } from './read-only.ts';
import type {
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
  WithTools,
} from './run-options.ts';
import type { SandboxExecOptions, SandboxExecResult } from '../../ports/sandbox-provider.ts';

/** Options of a run that the sandbox already determines. */
type SettledBySandbox =
  | 'sandbox'
  | 'cwd'
  | 'branchStrategy'
  | 'readOnly'
  | 'copyToWorktree'
  | 'hooks'
  | 'timeouts'
  | 'id'
  | 'onCheckpoint';

/** Timeouts that each run in a kept place can set. The place determines those of its steps. */
export interface OwnTimeouts {
  /** Timeouts of the run and its agent. */
  readonly timeouts?: Pick<RunTimeouts, 'runMs' | 'idleMs' | 'completionMs' | 'limitWaitMs'>;
}

/** Divides the timeouts of a run: those of each run in a kept place, and those of the place's steps. */
export function divideTimeouts({ runMs, idleMs, completionMs, limitWaitMs, ...steps }: RunTimeouts): {
  readonly run: NonNullable<OwnTimeouts['timeouts']>;
  readonly steps: Timeouts;
} {
  return {
    run: {
      ...(runMs !== undefined && { runMs }),
      ...(idleMs !== undefined && { idleMs }),
      ...(completionMs !== undefined && { completionMs }),
      ...(limitWaitMs !== undefined && { limitWaitMs }),
    },
    steps,
  };
}

/** Options of `sandbox.run()`: those of `run()` that the sandbox does not determine. */
export type SandboxRunOptions = Omit<RunOptions, SettledBySandbox> & OwnTimeouts;

/** `SandboxRunOptions` with an output, whose partial values are typed. */
export type SandboxRunOptionsWithOutput<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> = Omit<RunOptionsWithOutput<TDefinition, TInputs>, SettledBySandbox> & OwnTimeouts;

/** Result of `sandbox.run()`. `resume` and `fork` continue in the same sandbox. */
export type SandboxRunResult = RunResult;

/** Options of `sandbox.interactive()`. */
export interface SandboxInteractiveOptions {
  readonly agent: AgentProvider;
  /** The literal first message. If absent, the agent starts without one. */
  readonly prompt?: string;
  /**
   * File with a prompt template. Placeholders without an argument are requested on the terminal.
   */
  readonly promptFile?: string;
  readonly promptArgs?: PromptArgs;
  readonly name?: string;
  /** Adds to the agent's environment. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Names of these options, complete by their type. Others are refused. */
export const SANDBOX_INTERACTIVE_OPTIONS: OptionNames<SandboxInteractiveOptions> = {
  agent: true,
  prompt: true,
  promptFile: true,
  promptArgs: true,
  name: true,
  env: true,
  signal: true,
};

/** Result of a terminal session. */
export interface SandboxInteractiveResult {
  /** The commits of the session, oldest first. */
  readonly commits: CommitRef[];
  /**
   * Other branches, tags, stash entries and commits of the session, kept separately. Absent if there
   * are none.
   */
  readonly recovered?: readonly RecoveredRef[];
  readonly exitCode: number;
}

/** Result of closing a place. */
export interface CloseResult {
  /** The worktree, kept because it holds uncommitted work. */
  readonly preservedWorktreePath?: string;
  /** Changes that run code on the host later, made by `exec()` after the last run of a sandbox. Absent without any. */
  readonly sensitiveChanges?: readonly SensitiveChange[];
}

/** How `sandbox.close()` merges. Its policies take precedence over those of the sandbox. */
export interface SandboxMergeOptions extends Pick<
  MergeOptions,
  'into' | 'strategy' | 'message' | 'check' | 'deleteBranch' | 'policies' | 'signal'
> {}

/** Options of `sandbox.close()`. */
export interface SandboxCloseOptions {
  /**
   * Merges the sandbox's branch after the sandbox is closed, as `merge()` does: into the branch that was
   * checked out when the sandbox was opened. `check` runs in another sandbox of the same kind. If the merge
   * fails, its error is thrown, and the branch is kept. @default false
   */
  readonly merge?: boolean | SandboxMergeOptions;
}

const CLOSE_OPTIONS: OptionNames<SandboxCloseOptions> = { merge: true };
const CLOSE_MERGE_OPTIONS: OptionNames<SandboxMergeOptions> = {
  into: true,
  strategy: true,
  message: true,
  check: true,
  deleteBranch: true,
  policies: true,
  signal: true,
};

/**
 * Returns the merge that is asked for, if any.
 *
 * @throws UsageError, RepositoryError `invalid-branch`
 */
export function readCloseOptions(options: SandboxCloseOptions): SandboxMergeOptions | undefined {
  assertKnownOptions(options, { of: '`sandbox.close()`', names: CLOSE_OPTIONS });
  const { merge = false } = options;
  if (merge === false) return undefined;
  if (merge === true) return {};
  assertKnownOptions(merge, { of: '`merge` of `sandbox.close()`', names: CLOSE_MERGE_OPTIONS });
  assertMergeValues(merge);
  return merge;
}

/** Result of `sandbox.close()`. */
export interface SandboxCloseResult extends CloseResult {
  /** The merge that was asked for. Absent otherwise. */
  readonly merge?: MergeResult;
}

/** A warm sandbox on a branch. */
export interface Sandbox extends AsyncDisposable {
  readonly branch: string;
  /** The worktree on the host. */
  readonly worktreePath: string;
  /**
   * Runs an agent here, like `run()`. With concurrent runs, each one reports all commits made while
   * it ran.
   */
  run<TInputs>(options: WithTools<SandboxRunOptions, TInputs>): RunPromise<SandboxRunResult>;
  run<TDefinition extends AnyOutputDefinition, TInputs = Readonly<Record<string, never>>>(
    options: SandboxRunOptionsWithOutput<TDefinition, TInputs>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  run(options: SandboxRunOptions): RunPromise<SandboxRunResult>;
  /** Hands the terminal to an agent here. */
  interactive(options: SandboxInteractiveOptions): Promise<SandboxInteractiveResult>;
  /** Runs a shell command here. A non-zero exit code is a result, not an error. */
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /**
   * Stops everything that runs here. The worktree is kept if it contains uncommitted work. A second
   * call waits for the first.
   */
  close(options?: SandboxCloseOptions): Promise<SandboxCloseResult>;
}

/**
 * A warm sandbox whose work is thrown away. Closing it removes its worktree with everything in it.
 *
 * Not an interface: no entry exports its name.
 */
export type ReadOnlySandbox = AsyncDisposable &
  Pick<Sandbox, 'worktreePath' | 'exec'> & {
    /** Runs an agent here, like `run()` with `readOnly`. */
    run<TDefinition extends AnyOutputDefinition>(
      options: Omit<SandboxRunOptionsWithOutput<TDefinition>, 'publish'>,
    ): RunPromise<ReadOnlyRunResultWithOutput<InferOutput<TDefinition>>>;
    run(options: Omit<SandboxRunOptions, 'publish'>): RunPromise<ReadOnlyRunResult>;
    /** Stops everything that runs here, and removes the worktree. A second call waits for the first. */
    close(): Promise<void>;
  };
