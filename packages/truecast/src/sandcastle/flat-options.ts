/** Options of a run in the form of `truecast/sandcastle`: one name each, and times in seconds. */
import type { OptionNames } from '@truecast/core/internal/options/known-options';
import type { Prices } from '@truecast/core/internal/kit/usage';
import type {
  AnyOutputDefinition,
  DeepPartial,
  InferOutput,
} from '@truecast/core/internal/output/definition/definition';
import type { AgentProvider } from '../ports/agent-provider.ts';
import type { AgentStreamEvent } from '../run/events/agent-stream-event.ts';
import type { Budget, RunPolicies, Timeouts } from '../run/options/run-bounds.ts';
import { RUN_OPTIONS } from '../run/options/run-option-names.ts';
import type { RunOptions as GroupedOptions } from '../run/options/run-options.ts';
import type { SensitiveChangesPolicy } from '../run/review/sensitive-changes-policy.ts';
import type { FlatOutputDefinition } from './output.ts';

/** Destination of a run's log. */
export type FlatLoggingOption =
  | {
      readonly type: 'file';
      /** @default `logs/<branch>[-<name>].log` in the repository's state folder */
      readonly path?: string;
      /** Also shows the run on this stream. @default none */
      readonly live?: NodeJS.WritableStream;
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /** Called with the agent's text, tool calls and raw lines as they arrive. */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    }
  | {
      readonly type: 'stdout';
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /** Called with the agent's text, tool calls and raw lines as they arrive. */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    };

/** Options that have no group here. Each is described at its member of a group of `truecast`. */
export interface FlatMembers extends Omit<RunPolicies, 'onInterruption'> {
  /** Where the log is written. @default `{ type: 'file' }` */
  readonly logging?: FlatLoggingOption;
  /** Time without output after which the agent counts as hung. @default 600 */
  readonly idleTimeoutSeconds?: number;
  /** Time that the process can continue after its completion signal. @default 60 */
  readonly completionTimeoutSeconds?: number;
  /** Timeout of the whole run. @default none */
  readonly timeoutSeconds?: number;
  /** Maximum of all waits of `onLimit: 'wait'` together. @default 21600 */
  readonly maxLimitWaitSeconds?: number;
  /** Limits on the steps around the agent. */
  readonly timeouts?: Timeouts;
  /** Limits on tokens, dollars and requests over all attempts. */
  readonly budget?: Omit<Budget, 'prices'>;
  /** Prices of the model, for `budget.usd` with an agent that reports no cost. */
  readonly prices?: Prices;
  /** Runs that are kept for the console. */
  readonly runs?: { readonly keep?: number };
  /** File to record the agent to. */
  readonly record?: string;
  /** Continues this session of the agent. */
  readonly resumeSession?: string;
  /** With `resumeSession`: continues in a new session. @default false */
  readonly forkSession?: boolean;
  /** Limits on the files that the run writes outside its worktree, in bytes. */
  readonly limits?: {
    readonly sessionBytes?: number;
    readonly logBytes?: number;
    readonly recordingBytes?: number;
  };
  /** With the branch strategy `head`: paths that the agent can edit. @default [] */
  readonly editablePaths?: readonly string[];
}

/** Options of other types here. */
type Others =
  | 'timeouts'
  | 'policies'
  | 'session'
  | 'budget'
  | 'logging'
  | 'output'
  | 'readOnly'
  | 'until'
  | 'maxRounds'
  | 'id'
  | 'onCheckpoint';

/** Options of `run()` of `truecast/sandcastle`. */
export interface FlatRunOptions<TAgent extends AgentProvider = AgentProvider>
  extends Omit<GroupedOptions<TAgent>, Others>, FlatMembers {
  /** Definition of the answer. @default none */
  readonly output?: FlatOutputDefinition;
}

/** `RunOptions` with an output, whose partial values are typed. */
export type WithOutput<TOptions, TDefinition extends AnyOutputDefinition> = Omit<
  TOptions,
  'output' | 'onPartial'
> & {
  readonly output: TDefinition;
  readonly onPartial?: (value: DeepPartial<InferOutput<TDefinition>>) => void;
};

const {
  policies: _policies,
  session: _session,
  readOnly: _readOnly,
  until: _until,
  maxRounds: _maxRounds,
  id: _id,
  onCheckpoint: _onCheckpoint,
  ...SHARED
} = RUN_OPTIONS;

/** Names of these options, complete by their type. Others are refused. */
export const FLAT_OPTIONS: OptionNames<FlatRunOptions> = {
  ...SHARED,
  idleTimeoutSeconds: true,
  completionTimeoutSeconds: true,
  timeoutSeconds: true,
  maxLimitWaitSeconds: true,
  onLimit: true,
  prices: true,
  runs: true,
  record: true,
  secretsInOutput: true,
  secretsInCommits: true,
  resumeSession: true,
  forkSession: true,
  sensitiveChanges: true,
  limits: true,
  editablePaths: true,
};

/** A place has this policy by its own name here. */
export interface FlatPlacePolicy {
  /** Policy for a merge whose changes run code on the host later. @default `{ git: 'error', others: 'warn' }` */
  readonly sensitiveChanges?: SensitiveChangesPolicy;
}
