/** Owns what a caller may ask of a worktree that outlives its runs, and what comes back. */
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { CommitRef } from '../errors/run-evidence.ts';
import type { AgentProvider } from './agents/agent-provider.ts';
import type { LineAgentProvider } from './agents/line-agent.ts';
import type { BranchStrategy } from './git/branch-strategy.ts';
import type { SandboxHooks } from './places/hooks.ts';
import type { CloseResult } from './places/kept-worktree.ts';
import type { PlaceOptions, PlaceSandboxOptions, WorktreeBranchStrategy } from './places/place-options.ts';
import type { PromptArgs } from './prompt/prompt-args.ts';
import type { RunPromise } from './run-events.ts';
import type {
  RunOptions,
  RunOptionsWithOutput,
  RunResult,
  RunResultWithOutput,
  Timeouts,
} from './run-options.ts';
import type { Sandbox } from './sandbox-options.ts';
import type { SandboxProvider } from './sandboxes/sandbox-provider.ts';

/** What `createWorktree()` takes. */
export interface CreateWorktreeOptions extends PlaceOptions {
  readonly branchStrategy: WorktreeBranchStrategy;
  /** Stands in a temporary branch's name. */
  readonly name?: string;
}

/** Options of a run that the worktree has settled already. */
type SettledByWorktree = 'cwd' | 'branchStrategy' | 'copyToWorktree' | 'timeouts' | 'forkSession';

/** What `worktree.run()` takes: the options of `run()` that are not the worktree's own. Of `hooks`, those of the sandbox run. */
export type WorktreeRunOptions = Omit<RunOptions, SettledByWorktree>;

/** `WorktreeRunOptions` with an output, whose partial values are typed. */
export type WorktreeRunOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  RunOptionsWithOutput<TDefinition>,
  SettledByWorktree
>;

/** What `worktree.run()` resolves to; `resume` and `fork` go on in the same worktree. */
export type WorktreeRunResult = RunResult;

/** What `worktree.createSandbox()` takes. */
export interface WorktreeCreateSandboxOptions extends PlaceSandboxOptions {
  readonly hooks?: SandboxHooks;
  readonly copyToWorktree?: readonly string[];
  readonly timeouts?: Timeouts;
}

/** What `worktree.interactive()` takes. */
export interface WorktreeInteractiveOptions {
  readonly agent: AgentProvider | LineAgentProvider;
  /** @default `noSandbox()` */
  readonly sandbox?: SandboxProvider;
  /** The first message, taken literally; absent, the agent starts without one. */
  readonly prompt?: string;
  /** A prompt template; placeholders without an argument are asked for on the terminal. */
  readonly promptFile?: string;
  readonly promptArgs?: PromptArgs;
  readonly name?: string;
  readonly hooks?: SandboxHooks;
  /** Adds to the environment of every command; wins over `.truecast/.env`. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What `interactive()` takes. */
export interface InteractiveOptions extends WorktreeInteractiveOptions {
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /** Where commits go. @default `{ type: 'head' }`; in an isolated sandbox `{ type: 'merge-to-head' }` */
  readonly branchStrategy?: BranchStrategy;
  readonly copyToWorktree?: readonly string[];
  readonly timeouts?: Timeouts;
  /** Is told what is worth knowing and no failure. @default `process.emitWarning` */
  readonly onWarning?: (message: string) => void;
}

/** How a session on the terminal ended. */
export interface InteractiveResult {
  /** The commits of the session, oldest first. */
  readonly commits: CommitRef[];
  /** Branch that holds the commits: the one merged into, with `merge-to-head`. */
  readonly branch: string;
  /** The worktree, kept because it holds uncommitted work. */
  readonly preservedWorktreePath?: string;
  readonly exitCode: number;
}

/** A worktree on a branch of its own. */
export interface Worktree extends AsyncDisposable {
  readonly branch: string;
  /** The worktree on the host. */
  readonly worktreePath: string;
  /** Runs an agent here in a sandbox of its own, as `run()` does; with `merge-to-head`, each run that succeeds is merged and the branch goes on. */
  run<TDefinition extends AnyOutputDefinition>(
    options: WorktreeRunOptionsWithOutput<TDefinition>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  run(options: WorktreeRunOptions): RunPromise<WorktreeRunResult>;
  /** Hands the terminal to an agent here. */
  interactive(options: WorktreeInteractiveOptions): Promise<InteractiveResult>;
  /** Starts a warm sandbox here, for several runs; closing it leaves the worktree. */
  createSandbox(options: WorktreeCreateSandboxOptions): Promise<Sandbox>;
  /** Leaves the worktree: it goes when it is clean and was made here. A second call waits for the first. */
  close(): Promise<CloseResult>;
}
