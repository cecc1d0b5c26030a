/** Options and results of a run. */
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import type { CommitRef, RecoveredRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { Prices } from '@truecast/core/internal/errors/base/prices';
import type { SensitiveChange } from '@truecast/core/internal/errors/base/sensitive-change';
import type { Usage } from '@truecast/core/internal/errors/base/usage';
import type {
  AnyOutputDefinition,
  InferOutput,
  DeepPartial,
} from '@truecast/core/internal/output/definition/definition';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { SandboxHooks } from './hooks.ts';
import type { PublishOption } from './publish-option.ts';
import type { Budget, KeptRunsOption, LoggingOption, RunLimits, Timeouts } from './run-bounds.ts';
import type { PromptArgs } from '../prompt/prompt-args.ts';
import type { PolicyLevel } from '../../support/policy-level.ts';
import type { SensitiveChangesPolicy } from '../review/sensitive-changes-policy.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

/** Options of `run()`. */
export interface RunOptions<TAgent extends AgentProvider = AgentProvider> {
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
  /** Definition of the answer. If absent, the run has no answer. */
  readonly output?: AnyOutputDefinition;
  /**
   * Attempts after the first. Takes precedence over the definition's.
   * @default the definition's, or 0
   */
  readonly maxCorrections?: number;
  /**
   * Maximum number of times the agent is started with the prompt, until it writes the completion
   * signal. @default 1
   */
  readonly maxIterations?: number;
  /** Destination of commits. @default a new branch that is not merged, in a worktree */
  readonly branchStrategy?: BranchStrategy;
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
  /** Time without output after which the agent counts as hung. @default 600 */
  readonly idleTimeoutSeconds?: number;
  /** Maximum time that the process can continue after its completion signal. @default 60 */
  readonly completionTimeoutSeconds?: number;
  /** Timeout of the whole run. @default none */
  readonly timeoutSeconds?: number;
  /**
   * Policy for a rate or usage limit of the model service. `fail` rejects with an `AgentError`
   * (`rate-limit`) that contains the reset time. `wait` waits for the reset and continues in the
   * same session. @default 'fail'
   */
  readonly onLimit?: 'wait' | 'fail';
  /**
   * Maximum of all waits of `onLimit: 'wait'` together. They count towards `timeoutSeconds` too.
   * @default 21600
   */
  readonly maxLimitWaitSeconds?: number;
  /** Limits on tokens, dollars and requests over all attempts. */
  readonly budget?: Budget;
  /** Prices of the model, for `budget.usd` with an agent that reports no cost. */
  readonly prices?: Prices;
  /** Included in the branch and log file names. */
  readonly name?: string;
  /**
   * Where the log is written. If absent, the run prints the path of its log on stderr. After SIGINT
   * or SIGTERM it also prints where the work is. @default `{ type: 'file' }`
   */
  readonly logging?: LoggingOption;
  /** Runs that are kept in the repository's state folder, for the console. */
  readonly runs?: KeptRunsOption;
  /**
   * File to record the agent to; an existing file is overwritten. The recording contains the
   * agent's stdout with timestamps, its exit, its command line and its changes. Secrets are masked
   * as in logs. `replay()` plays it back.
   */
  readonly record?: string;
  /**
   * Policy for a valid answer that contains a secret: a value of the run's environment, or text
   * with the shape of a token. The answer itself is never altered. `warn` adds the warning
   * `secret-in-output` with its path. `error` fails the run before anything is merged.
   * @default 'warn'
   */
  readonly secretsInOutput?: PolicyLevel;
  /**
   * Policy for commits of the agent that contain a value of `.truecast/.env`, of `env`, or of an
   * inherited variable with a secret name: in a file, a file name or a message. Values below eight
   * characters do not count. `error` merges and publishes nothing. `warn` adds the warning
   * `secret-in-commits`. `allow` searches nothing. @default 'error'
   */
  readonly secretsInCommits?: PolicyLevel;
  /** Continues this session of the agent. */
  readonly resumeSession?: string;
  /**
   * With `resumeSession`: continues in a new session and leaves the original unchanged.
   * @default false
   */
  readonly forkSession?: boolean;
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
  /** Limits on the steps around the agent. */
  readonly timeouts?: Timeouts;
  /**
   * Policy for a merge whose changes run code on the host later, such as hooks or editor tasks.
   * `error` refuses the merge. `warn` lists them in `sensitiveChanges` of the result, and `allow` lists
   * none. An object has one level for those that run at the next git command, and one for the others.
   * @default `{ git: 'error', others: 'warn' }`
   */
  readonly sensitiveChanges?: SensitiveChangesPolicy;
  /** Limits on the files that the run writes outside its worktree. */
  readonly limits?: RunLimits;
  /**
   * With the branch strategy `head`: paths that the agent can edit although they run code on the
   * host, such as `.vscode/`. Others, such as `.husky/` and `.mcp.json`, are read-only in a sandbox
   * on this machine. @default []
   */
  readonly editablePaths?: readonly string[];
  /**
   * Called with the partial answer after each piece of text that changed it. A preview, never the
   * answer. Within one draft the same object is updated in place. Copy it to keep a state. Its
   * exceptions are ignored, with a warning.
   */
  onPartial?(value: unknown): void;
}

/** Names of these options, complete by their type. Others are refused. */
export const RUN_OPTIONS: OptionNames<RunOptions> = {
  agent: true,
  sandbox: true,
  cwd: true,
  prompt: true,
  promptFile: true,
  promptArgs: true,
  output: true,
  maxCorrections: true,
  maxIterations: true,
  branchStrategy: true,
  publish: true,
  copyToWorktree: true,
  hooks: true,
  completionSignal: true,
  idleTimeoutSeconds: true,
  completionTimeoutSeconds: true,
  timeoutSeconds: true,
  onLimit: true,
  maxLimitWaitSeconds: true,
  budget: true,
  prices: true,
  name: true,
  logging: true,
  runs: true,
  record: true,
  secretsInOutput: true,
  secretsInCommits: true,
  resumeSession: true,
  forkSession: true,
  env: true,
  signal: true,
  timeouts: true,
  sensitiveChanges: true,
  limits: true,
  editablePaths: true,
  onPartial: true,
};

/** `RunOptions` with an output, whose partial values are typed. */
export type RunOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  RunOptions,
  'output' | 'onPartial'
> & {
  readonly output: TDefinition;
  readonly onPartial?: (value: DeepPartial<InferOutput<TDefinition>>) => void;
};

/** Tokens and cost of one start of the agent. */
export type IterationUsage = Usage;

/** One start of the agent's process. */
export interface IterationResult {
  /** Id of the agent's session, for `resumeSession`. */
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
  /** Branch that contains the commits. With `merge-to-head`, the target branch of the merge. */
  readonly branch: string;
  /**
   * Other branches, tags, stash entries and commits of the agent, kept separately. Absent if there
   * are none.
   */
  readonly recovered?: readonly RecoveredRef[];
  /** Sum over all attempts. Absent if the agent reports no usage. */
  readonly usage?: Usage;
  /** The pull request of `publish`. Absent if there are no commits. */
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
  /** Continues the session with a new prompt. Absent if there is no session to continue. */
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
    'agent' | 'sandbox' | 'prompt' | 'promptFile' | 'resumeSession' | 'forkSession' | 'maxIterations'
  >
>;

/** `RunResult` with the typed answer, and how it was obtained. */
export interface RunResultWithOutput<TOutput> extends RunResult {
  /** The validated answer. */
  readonly output: TOutput;
  /** How the answer was obtained: route, attempts, position, repairs. */
  readonly provenance: Provenance;
}
