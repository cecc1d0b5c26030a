/** Options and results of a worktree that outlives its runs. */
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import type { AnyOutputDefinition, InferOutput } from '@truecast/core/internal/output/definition/definition';
import type {
  CommitRef,
  RecoveredRef,
  SensitiveChange,
} from '@truecast/core/internal/errors/base/run-evidence';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { SandboxHooks } from './hooks.ts';
import {
  PLACE_OPTIONS,
  PLACE_SANDBOX_OPTIONS,
  type PlaceOptions,
  type PlaceSandboxOptions,
  type WorktreeBranchStrategy,
} from './place-options.ts';
import type { PromptArgs } from '../prompt/prompt-template.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { PlacePolicies, Timeouts } from './run-bounds.ts';
import type {
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
  WithTools,
} from './run-options.ts';
import {
  SANDBOX_INTERACTIVE_OPTIONS,
  type CloseResult,
  type OwnTimeouts,
  type Sandbox,
} from './sandbox-options.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Options of `createWorktree()`. */
export interface CreateWorktreeOptions extends PlaceOptions {
  /** Destination of commits: `merge-to-head` or `branch`. */
  readonly branchStrategy: WorktreeBranchStrategy;
  /** Included in a temporary branch's name. */
  readonly name?: string;
}

/** Names of these options, complete by their type. Others are refused. */
export const WORKTREE_OPTIONS: OptionNames<CreateWorktreeOptions> = {
  ...PLACE_OPTIONS,
  branchStrategy: true,
  name: true,
};

/** Options of a run that the worktree already determines. */
type SettledByWorktree = 'cwd' | 'branchStrategy' | 'readOnly' | 'copyToWorktree' | 'id' | 'onCheckpoint';

/**
 * Options of `worktree.run()`: those of `run()` that the worktree does not determine. Of `hooks`,
 * only the `onSandboxReady` commands run.
 */
export type WorktreeRunOptions = Omit<RunOptions, SettledByWorktree | 'timeouts'> & OwnTimeouts;

/** `WorktreeRunOptions` with an output, whose partial values are typed. */
export type WorktreeRunOptionsWithOutput<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> = Omit<RunOptionsWithOutput<TDefinition, TInputs>, SettledByWorktree | 'timeouts'> & OwnTimeouts;

/** Result of `worktree.run()`. `resume` and `fork` continue in the same worktree. */
export type WorktreeRunResult = RunResult;

/** Options of `worktree.createSandbox()`. */
export interface WorktreeCreateSandboxOptions extends PlaceSandboxOptions {
  readonly hooks?: SandboxHooks;
  readonly copyToWorktree?: readonly string[];
  readonly timeouts?: Timeouts;
}

/** Names of these options, complete by their type. Others are refused. */
export const WORKTREE_SANDBOX_OPTIONS: OptionNames<WorktreeCreateSandboxOptions> = {
  ...PLACE_SANDBOX_OPTIONS,
  hooks: true,
  copyToWorktree: true,
  timeouts: true,
};

/** Options of `worktree.interactive()`. */
export interface WorktreeInteractiveOptions {
  /** The agent to start, such as `claudeCode()`. */
  readonly agent: AgentProvider;
  /** Where the agent runs. @default `noSandbox()` */
  readonly sandbox?: SandboxProvider;
  /** The literal first message. If absent, the agent starts without one. */
  readonly prompt?: string;
  /**
   * File with a prompt template. Placeholders without an argument are requested on the terminal.
   */
  readonly promptFile?: string;
  /** Values of the template's `{{KEY}}`s. */
  readonly promptArgs?: PromptArgs;
  /** Included in a temporary branch's name. */
  readonly name?: string;
  /** Commands around the start of the sandbox. */
  readonly hooks?: SandboxHooks;
  /**
   * Adds to the environment of every command. Takes precedence over `.truecast/.env`. @default {}
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Aborts the session, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Names of these options, complete by their type. Others are refused. */
export const WORKTREE_INTERACTIVE_OPTIONS: OptionNames<WorktreeInteractiveOptions> = {
  ...SANDBOX_INTERACTIVE_OPTIONS,
  sandbox: true,
  hooks: true,
};

/** Options of `interactive()`. */
export interface InteractiveOptions extends WorktreeInteractiveOptions {
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /** Destination of commits. @default a new branch that is not merged, in a worktree */
  readonly branchStrategy?: BranchStrategy;
  /**
   * Files to copy into the worktree because git does not copy them. Paths are relative to the
   * repository.
   */
  readonly copyToWorktree?: readonly string[];
  /** Limits on the steps around the agent. */
  readonly timeouts?: Timeouts;
  /** As in `run()`. */
  readonly policies?: PlacePolicies;
  /** Called with warnings. @default `process.emitWarning` */
  readonly onWarning?: (message: string) => void;
}

/** Names of these options, complete by their type. Others are refused. */
export const INTERACTIVE_OPTIONS: OptionNames<InteractiveOptions> = {
  ...WORKTREE_INTERACTIVE_OPTIONS,
  cwd: true,
  branchStrategy: true,
  copyToWorktree: true,
  timeouts: true,
  policies: true,
  onWarning: true,
};

/** Result of a terminal session. */
export interface InteractiveResult {
  /** The commits of the session, oldest first. */
  readonly commits: CommitRef[];
  /** Branch that contains the commits. With `merge-to-head`, the target branch of the merge. */
  readonly branch: string;
  /** The worktree, kept because it contains uncommitted work. */
  readonly preservedWorktreePath?: string;
  /** Changes that make a later command run code on the host. Those for git come first. */
  readonly sensitiveChanges: readonly SensitiveChange[];
  /**
   * Other branches, tags, stash entries and commits of the session, kept separately. Absent if there
   * are none.
   */
  readonly recovered?: readonly RecoveredRef[];
  readonly exitCode: number;
}

/** A worktree on a separate branch. */
export interface Worktree extends AsyncDisposable {
  readonly branch: string;
  /** The worktree on the host. */
  readonly worktreePath: string;
  /**
   * Runs an agent here in a separate sandbox, like `run()`. With `merge-to-head`, each successful
   * run is merged and the branch continues.
   */
  run<TInputs>(options: WithTools<WorktreeRunOptions, TInputs>): RunPromise<WorktreeRunResult>;
  run<TDefinition extends AnyOutputDefinition, TInputs = Readonly<Record<string, never>>>(
    options: WorktreeRunOptionsWithOutput<TDefinition, TInputs>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  run(options: WorktreeRunOptions): RunPromise<WorktreeRunResult>;
  /** Hands the terminal to an agent here. */
  interactive(options: WorktreeInteractiveOptions): Promise<InteractiveResult>;
  /** Starts a warm sandbox here, for several runs. Closing it keeps the worktree. */
  createSandbox(options: WorktreeCreateSandboxOptions): Promise<Sandbox>;
  /**
   * Closes the worktree: removes it if it is clean and was created here. A second call waits for
   * the first.
   */
  close(): Promise<CloseResult>;
}
