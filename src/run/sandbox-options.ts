/** Owns what a caller may ask of a sandbox that outlives its runs, and what comes back. */
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { AgentProvider } from './agents/agent-provider.ts';
import type { LineAgentProvider } from './agents/line-agent.ts';
import type { CommitRef } from '../errors/run-evidence.ts';
import type { CloseResult } from './places/kept-worktree.ts';
import type { PromptArgs } from './prompt/prompt-args.ts';
import type { RunPromise } from './run-events.ts';
import type { RunOptions, RunOptionsWithOutput, RunResult, RunResultWithOutput } from './run-options.ts';
import type { SandboxExecOptions, SandboxExecResult } from './sandboxes/sandbox-provider.ts';

/** Options of a run that the sandbox has settled already. */
type SettledBySandbox =
  | 'sandbox'
  | 'cwd'
  | 'branchStrategy'
  | 'copyToWorktree'
  | 'hooks'
  | 'timeouts'
  | 'forkSession';

/** What `sandbox.run()` takes: the options of `run()` that are not the sandbox's own. */
export type SandboxRunOptions = Omit<RunOptions, SettledBySandbox>;

/** `SandboxRunOptions` with an output, whose partial values are typed. */
export type SandboxRunOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  RunOptionsWithOutput<TDefinition>,
  SettledBySandbox
>;

/** What `sandbox.run()` resolves to; `resume` and `fork` go on in the same sandbox. */
export type SandboxRunResult = RunResult;

/** What may be changed when a session is continued in its sandbox. */
export type ResumeSandboxRunResultOptions = Partial<
  Omit<
    SandboxRunOptions,
    'agent' | 'prompt' | 'promptFile' | 'promptArgs' | 'resumeSession' | 'maxIterations'
  >
>;

/** What `sandbox.interactive()` takes. */
export interface SandboxInteractiveOptions {
  readonly agent: AgentProvider | LineAgentProvider;
  /** The first message, taken literally; absent, the agent starts without one. */
  readonly prompt?: string;
  /** A prompt template; placeholders without an argument are asked for on the terminal. */
  readonly promptFile?: string;
  readonly promptArgs?: PromptArgs;
  readonly name?: string;
  /** Adds to the agent's environment. @default {} */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** How a session on the terminal ended. */
export interface SandboxInteractiveResult {
  /** The commits of the session, oldest first. */
  readonly commits: CommitRef[];
  readonly exitCode: number;
}

/** A warm sandbox on a branch. */
export interface Sandbox extends AsyncDisposable {
  readonly branch: string;
  /** The worktree on the host. */
  readonly worktreePath: string;
  /** Runs an agent here, as `run()` does. Commits of runs at the same time are told to each of them. */
  run<TDefinition extends AnyOutputDefinition>(
    options: SandboxRunOptionsWithOutput<TDefinition>,
  ): RunPromise<RunResultWithOutput<InferOutput<TDefinition>>>;
  run(options: SandboxRunOptions): RunPromise<SandboxRunResult>;
  /** Hands the terminal to an agent here. */
  interactive(options: SandboxInteractiveOptions): Promise<SandboxInteractiveResult>;
  /** Runs a shell command here; a non-zero exit is a result. */
  exec(command: string, options?: SandboxExecOptions): Promise<SandboxExecResult>;
  /** Ends what runs here; the worktree stays where it holds uncommitted work. A second call waits for the first. */
  close(): Promise<CloseResult>;
}
