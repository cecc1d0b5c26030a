/** Options and results of a run. */
import type {
  CommitRef,
  RecoveredRef,
  SensitiveChange,
} from '@truecast/core/internal/errors/base/run-evidence';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type {
  AnyOutputDefinition,
  InferOutput,
  DeepPartial,
} from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { GenerateTool } from '@truecast/model/internal/tools/generate-tool';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { Attachment } from '../attachments/attachment.ts';
import type { SandboxHooks } from './hooks.ts';
import type { Budget, LoggingOption, RunPolicies, RunTimeouts, SessionOption } from './run-bounds.ts';
import type { RunPromise } from '../events/run-events.ts';
import type { RunCheckpoint } from '../events/run-checkpoint.ts';
import type { PromptArgs } from '../prompt/prompt-template.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Publication of a run's branch. */
export type PublishOption = 'pull-request';

/** Tools by name, each with the input of a function. */
export type RunTools<TInputs = Readonly<Record<string, never>>> = {
  readonly [Name in keyof TInputs]: GenerateTool<TInputs[Name]>;
};

/** Verdict of `until`: true, or false or the text that the agent gets. */
export type UntilVerdict = boolean | string;

/** Options of `run()`. */
export interface RunOptions<TAgent extends AgentProvider = AgentProvider, TReadOnly extends boolean = false> {
  /** The agent to start, such as `claudeCode()`. */
  readonly agent: TAgent;
  /** Where the agent runs, such as `bubblewrap()`, `docker()` or `noSandbox()`. */
  readonly sandbox: SandboxProvider;
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /** The literal prompt. Set exactly one of `prompt` and `promptFile`. */
  readonly prompt?: string;
  /** File with a prompt template: `{{KEY}}` arguments and `` !`command` `` expressions. */
  readonly promptFile?: string;
  /** Values of the template's `{{KEY}}`s. They are never executed as commands. */
  readonly promptArgs?: PromptArgs;
  /**
   * Files for the agent to read, by their paths on the host, or as `{ name, data }`. They are copied into its
   * worktree, named at the end of the prompt, ignored by git and removed afterwards. At most 32, and 64 MiB
   * together. @default none
   */
  readonly attachments?: readonly Attachment[];
  /**
   * Id with which the run can be repeated, such as that of a job: 1 to 200 characters. A second call with
   * the same id returns the result of the first one, or continues its work after a kill. Not available with
   * the branch strategy `head`. @default the run cannot be repeated
   */
  readonly id?: string;
  /** Definition of the answer. If absent, the run has no answer. */
  readonly output?: AnyOutputDefinition;
  /**
   * Functions of this program that the agent can call, as in `generate()`. They run on the host, with
   * the rights of this process, and every process in the sandbox can call them. Needs an agent that
   * loads MCP tools, and a local sandbox. @default none
   */
  readonly tools?: RunTools;
  /**
   * Called with each valid answer and its number, from 1. Returns true to accept it. Otherwise the agent
   * continues in the same session and gets the returned text, such as the missing part. Not called for a
   * question and a refusal. Requires `output`. @default the first valid answer is accepted
   */
  until?(output: unknown, round: number): UntilVerdict | Promise<UntilVerdict>;
  /**
   * With `until`: maximum number of valid answers. After the last one, the run rejects with a `LimitError`
   * (`rounds`) that has this answer. @default 5
   */
  readonly maxRounds?: number;
  /**
   * Maximum number of times the agent is started with the prompt, until it writes the completion
   * signal. @default 1
   */
  readonly maxIterations?: number;
  /** Destination of commits. @default a new branch that is not merged, in a worktree */
  readonly branchStrategy?: BranchStrategy;
  /**
   * Throws everything away that the agent writes, commits and branches included. The result has no
   * `branch` and no `commits`. Outside of a repository, the agent reads a copy of the folder `cwd`. Not
   * available with `branchStrategy` and `publish`. @default false
   */
  readonly readOnly?: TReadOnly;
  /**
   * Publishes the branch of a successful run instead of merging it: pushes it to `origin` with
   * hooks disabled, and opens a pull request with `gh`. Not available with `head`. @default the
   * branch stays local
   */
  readonly publish?: PublishOption;
  /**
   * Files to copy into the worktree because git does not copy them. Paths are relative to the
   * repository.
   */
  readonly copyToWorktree?: readonly string[];
  /** Commands around the start of the sandbox. */
  readonly hooks?: SandboxHooks;
  /** Text with which the agent signals that it is done. @default `<promise>COMPLETE</promise>` */
  readonly completionSignal?: string | readonly string[];
  /** Limits on tokens, dollars and requests over all attempts, and the prices for them. */
  readonly budget?: Budget;
  /** Included in the branch and log file names. */
  readonly name?: string;
  /**
   * Where the log is written, and what else is kept. Without a `type`, the run prints the path of
   * its log on stderr. After SIGINT or SIGTERM it also prints where the work is.
   * @default `{ type: 'file' }`
   */
  readonly logging?: LoggingOption;
  /**
   * Adds to the environment of the agent and of commands in the sandbox. Takes precedence over
   * `.truecast/.env`.
   */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * Aborts the run: rejects with the signal's reason, kills the agent's whole process tree, keeps
   * worktree and branch.
   */
  readonly signal?: AbortSignal;
  /** Time limits of the run, of the agent and of each step around it. */
  readonly timeouts?: RunTimeouts;
  /** What happens at a secret, at a change that runs code, and at a limit of the model service. */
  readonly policies?: RunPolicies;
  /** Session of the agent that the run continues. */
  readonly session?: SessionOption;
  /**
   * Called with a copy of the partial answer as it grows. A preview, never the answer. A long answer is
   * copied again when it has grown by an eighth, or after 50 ms for each 100,000 characters. Exceptions
   * of the function are ignored, with a warning.
   */
  onPartial?(value: unknown): void;
  /**
   * Called when a state of the run is stored, which no kill of this process loses. The run waits for it.
   * Its exceptions become warnings. Requires `id`.
   */
  onCheckpoint?(checkpoint: RunCheckpoint): void | Promise<void>;
}

/** `RunOptions` with an output, whose partial values are typed. */
export type RunOptionsWithOutput<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> = Omit<RunOptions, 'output' | 'onPartial' | 'until' | 'tools'> & TypedByOutput<TDefinition, TInputs>;

/** Options whose types follow the definition of the answer, and the tools. */
export interface TypedByOutput<
  TDefinition extends AnyOutputDefinition,
  TInputs = Readonly<Record<string, never>>,
> {
  readonly output: TDefinition;
  readonly tools?: RunTools<TInputs>;
  readonly onPartial?: (value: DeepPartial<InferOutput<TDefinition>>) => void;
  readonly until?: (output: InferOutput<TDefinition>, round: number) => UntilVerdict | Promise<UntilVerdict>;
}

/** Options of a run without an output, whose tools have the inputs of their schemas. */
export type WithTools<TOptions, TInputs> = Omit<TOptions, 'output' | 'tools'> & {
  readonly output?: never;
  readonly tools: RunTools<TInputs>;
};

/** Tokens and cost of one start of the agent. */
export type IterationUsage = Usage;

/** One start of the agent's process. */
export interface IterationResult {
  /** Id of the agent's session, for `session.resume`. */
  readonly sessionId?: string;
  /** The session's file on the host. */
  readonly sessionFilePath?: string;
  /** Tokens and cost of this start. */
  readonly usage?: IterationUsage;
}

/** Result of a run. */
export interface RunResult {
  /** Each start of the agent, retries included. */
  readonly iterations: IterationResult[];
  /** The completion signal that the agent wrote last and did not withdraw. */
  readonly completionSignal?: string;
  /** Final result text of each iteration, joined. Contains the last 4 Mi characters. */
  readonly stdout: string;
  /** All text that was searched for the answer. Contains the last 4 Mi characters. */
  readonly text: string;
  /** The agent's own commits, oldest first. */
  readonly commits: CommitRef[];
  /** With `id`: the commit before the first agent. `commits` are those after it, of all executions. */
  readonly commitsSince?: string;
  /** Branch that contains the commits. With `merge-to-head`, the target branch of the merge. */
  readonly branch: string;
  /**
   * Other branches, tags, stash entries and commits of the agent, kept separately. Absent if there
   * are none.
   */
  readonly recovered?: readonly RecoveredRef[];
  /** Sum over all attempts. Absent if the agent reports no usage. */
  readonly usage?: Usage;
  /** The pull request of `publish`. Absent without commits. */
  readonly pullRequestUrl?: string;
  /** The worktree, kept because it contains uncommitted work. */
  readonly preservedWorktreePath?: string;
  /** The run's log. Absent with `logging: { type: 'stdout' }`. */
  readonly logFilePath?: string;
  /** Problems that did not end the run. */
  readonly warnings: readonly string[];
  /**
   * Changes that make a later command of git, an editor, an agent or a shell run code on the host.
   * Those for git come first.
   */
  readonly sensitiveChanges: readonly SensitiveChange[];
  /** Continues the session with a new prompt. Absent without a session to continue. */
  readonly resume?: ContinueSession;
  /** Like `resume`, but in a new session that leaves this one unchanged. */
  readonly fork?: ContinueSession;
}

/**
 * Continues a session with a new prompt at the same place as the run. With an `output`, to a typed
 * answer.
 */
export interface ContinueSession {
  <TDefinition extends AnyOutputDefinition>(
    prompt: string,
    options: ContinueOptions & { readonly output: TDefinition },
  ): Promise<RunResultWithOutput<InferOutput<TDefinition>>>;
  (prompt: string, options?: ContinueOptions): Promise<RunResult>;
}

/** Options that can change when a session is continued. */
export type ContinueOptions = Partial<
  Omit<
    RunOptions,
    | 'agent'
    | 'sandbox'
    | 'prompt'
    | 'promptFile'
    | 'session'
    | 'maxIterations'
    | 'readOnly'
    | 'id'
    | 'onCheckpoint'
  >
>;

/**
 * `RunResult` with the typed answer, and how it was obtained.
 *
 * Not an interface: without a question, this type would be that interface, which the declarations of a
 * user's program could not name.
 */
export type RunResultWithOutput<TOutput> = RunResult & {
  /** The validated answer. With `question` or `decline`, the outcome. */
  readonly output: TOutput;
  /** How the answer was obtained: mode, attempts, position, repairs. */
  readonly provenance: Provenance;
} & Answerable<TOutput>;

/** Members of a result with a question. */
type Answerable<TOutput> = [Extract<TOutput, { readonly outcome: 'question' }>] extends [never]
  ? unknown
  : {
      /**
       * Sends a person's answer to the question, on the same branch, in the same session if the agent
       * has sessions. Absent after another outcome.
       */
      readonly answer?: SendAnswer<TOutput>;
    };

/** Sends the answer to a question. The result has the next outcome. */
export type SendAnswer<TOutput> = (
  text: string,
  options?: Omit<ContinueOptions, 'output' | 'branchStrategy'>,
) => RunPromise<RunResultWithOutput<TOutput>>;
