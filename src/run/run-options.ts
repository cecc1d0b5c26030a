/** Owns what a caller may ask of a run, and what comes back. */
import type { CommitRef } from '../errors/run-evidence.ts';
import type { Prices } from '../errors/prices.ts';
import type { Usage } from '../errors/usage.ts';
import type { AnyOutputDefinition, InferOutput } from '../output/definition.ts';
import type { DeepPartial } from '../output/deep-partial.ts';
import type { Provenance } from '../output/provenance.ts';
import type { AgentStreamEvent } from './agent-stream-event.ts';
import type { AgentProvider } from './agents/agent-provider.ts';
import type { LineAgentProvider } from './agents/line-agent.ts';
import type { BranchStrategy } from './git/branch-strategy.ts';
import type { SandboxHooks } from './places/hooks.ts';
import type { PromptArgs } from './prompt/prompt-args.ts';
import type { SandboxProvider } from './sandboxes/sandbox-provider.ts';

/** Where a run writes what happens. */
export type LoggingOption =
  | {
      readonly type: 'file';
      /** @default `.truecast/logs/<branch>[-<name>].log` */
      readonly path?: string;
      /** Also shows the run there: on a terminal one row that changes below short lines, elsewhere the lines alone. @default nowhere */
      readonly live?: NodeJS.WritableStream;
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /** Is called with the agent's words, tool calls and raw lines as they come; what it throws is ignored. */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    }
  | {
      /** Everything, as it comes; on a terminal one row that changes below short lines. */
      readonly type: 'stdout';
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /** Is called with the agent's words, tool calls and raw lines as they come; what it throws is ignored. */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    };

/** Bounds on the steps around the agent, in milliseconds. */
export interface Timeouts {
  /** @default 60000 */
  readonly copyToWorktreeMs?: number;
  /** @default 10000 */
  readonly gitSetupMs?: number;
  /** @default 30000 */
  readonly commitCollectionMs?: number;
  /** @default 30000 */
  readonly mergeToHostMs?: number;
}

/** What a run may spend over all its attempts. */
export interface Budget {
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** US dollars; needs an agent that tells its cost, or `prices`. */
  readonly usd?: number;
}

/** What `run()` takes. */
export interface RunOptions {
  readonly agent: AgentProvider | LineAgentProvider;
  readonly sandbox: SandboxProvider;
  /** Host repository, or a folder in it. @default `process.cwd()` */
  readonly cwd?: string;
  /** The prompt, taken literally. Exactly one of `prompt` and `promptFile`. */
  readonly prompt?: string;
  /** A prompt template: `{{KEY}}` arguments and `` !`command` `` expressions. */
  readonly promptFile?: string;
  /** Values for the template's `{{KEY}}`s; they can never become a command. */
  readonly promptArgs?: PromptArgs;
  /** What the answer must be; absent, the run has none. */
  readonly output?: AnyOutputDefinition;
  /** Attempts after the first; wins over the definition's. @default the definition's, or 0 */
  readonly maxRetries?: number;
  /** How often the agent is started afresh with the prompt until it says the completion signal. @default 1 */
  readonly maxIterations?: number;
  /** Where commits go. @default `{ type: 'head' }`; in an isolated sandbox `{ type: 'merge-to-head' }` */
  readonly branchStrategy?: BranchStrategy;
  /** Files of the repository that git does not carry into the worktree, relative to it. */
  readonly copyToWorktree?: readonly string[];
  /** Commands around the start of the sandbox. */
  readonly hooks?: SandboxHooks;
  /** Text by which the agent says that it is done. @default `<promise>COMPLETE</promise>` */
  readonly completionSignal?: string | readonly string[];
  /** Silence after which the agent counts as hung. @default 600 */
  readonly idleTimeoutSeconds?: number;
  /** How long the process may go on after its completion signal. @default 60 */
  readonly completionTimeoutSeconds?: number;
  /** Bound on the whole run. @default none */
  readonly timeoutSeconds?: number;
  readonly budget?: Budget;
  readonly prices?: Prices;
  /** Stands in the branch's and the log file's name. */
  readonly name?: string;
  /** @default `{ type: 'file' }` */
  readonly logging?: LoggingOption;
  /**
   * File to record the agent in, over what was there: its stdout with the time of each piece, how it ended, its command line and
   * what it changed, with secrets masked as in logs. `replay()` plays it back.
   */
  readonly record?: string;
  /** Continues this session of the agent. */
  readonly resumeSession?: string;
  /** With `resumeSession`: in a new session, which leaves that one as it is. @default false */
  readonly forkSession?: boolean;
  /** Adds to the environment of the agent and of commands in the sandbox; wins over `.truecast/.env`. */
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the run: it rejects with the signal's reason, kills the agent's whole process tree, keeps worktree and branch. */
  readonly signal?: AbortSignal;
  readonly timeouts?: Timeouts;
  /** Is called with the answer so far, after each piece of text that changed it. A preview, never the answer. */
  onPartialOutput?(value: unknown): void;
}

/** `RunOptions` with an output, whose partial values are typed. */
export type RunOptionsWithOutput<TDefinition extends AnyOutputDefinition> = Omit<
  RunOptions,
  'output' | 'onPartialOutput'
> & {
  readonly output: TDefinition;
  readonly onPartialOutput?: (value: DeepPartial<InferOutput<TDefinition>>) => void;
};

/** One start of the agent's process. */
export interface IterationResult {
  readonly sessionId?: string;
  /** The session's file on the host. */
  readonly sessionFilePath?: string;
  readonly usage?: Usage;
}

/** What a run resolves to. */
export interface RunResult {
  /** Each start of the agent, retries included. */
  readonly iterations: IterationResult[];
  /** The completion signal that the agent said last and stood by. */
  readonly completionSignal?: string;
  /** The final result text of each iteration, joined; its last 8 Mi characters. */
  readonly stdout: string;
  /** All text that was searched for the answer; its last 8 Mi characters. */
  readonly text: string;
  /** The agent's own commits, oldest first. */
  readonly commits: CommitRef[];
  /** Branch that holds the commits: the one merged into, with `merge-to-head`. */
  readonly branch: string;
  /** Sum over all attempts; absent where the agent tells none. */
  readonly usage?: Usage;
  /** The worktree, kept because it holds uncommitted work. */
  readonly preservedWorktreePath?: string;
  readonly logFilePath?: string;
  readonly warnings: readonly string[];
  /** Continues the session with a new prompt; absent when there is no session to continue. */
  readonly resume?: ContinueSession;
  /** As `resume`, in a new session that leaves this one as it is. */
  readonly fork?: ContinueSession;
}

/** Continues a session with a new prompt, where the run worked; with an `output`, to a typed answer. */
export interface ContinueSession {
  <TDefinition extends AnyOutputDefinition>(
    prompt: string,
    options: ContinueOptions & { readonly output: TDefinition },
  ): Promise<RunResultWithOutput<InferOutput<TDefinition>>>;
  (prompt: string, options?: ContinueOptions): Promise<RunResult>;
}

/** What may be changed when a session is continued. */
export type ContinueOptions = Partial<
  Omit<
    RunOptions,
    | 'agent'
    | 'sandbox'
    | 'prompt'
    | 'promptFile'
    | 'promptArgs'
    | 'resumeSession'
    | 'forkSession'
    | 'maxIterations'
  >
>;

/** `RunResult` with the typed answer, and the account of how it was obtained. */
export interface RunResultWithOutput<TOutput> extends RunResult {
  readonly output: TOutput;
  readonly provenance: Provenance;
}
