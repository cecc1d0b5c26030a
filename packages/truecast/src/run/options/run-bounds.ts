/** Options of a run's log, kept runs, timeouts, limits and budget. */
import type { AgentStreamEvent } from '../events/agent-stream-event.ts';

/** Destination of a run's log. */
export type LoggingOption =
  | {
      readonly type: 'file';
      /** @default `logs/<branch>[-<name>].log` in the repository's state folder */
      readonly path?: string;
      /**
       * Also shows the run on this stream. A terminal gets short lines and one status row below,
       * other streams only the lines. @default none
       */
      readonly live?: NodeJS.WritableStream;
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /**
       * Called with the agent's text, tool calls and raw lines as they arrive. Its exceptions are
       * ignored.
       */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    }
  | {
      /**
       * Writes the whole log as it arrives. A terminal gets short lines and one status row below.
       */
      readonly type: 'stdout';
      /** Also writes the agent's raw stdout. @default false */
      readonly verbose?: boolean;
      /**
       * Called with the agent's text, tool calls and raw lines as they arrive. Its exceptions are
       * ignored.
       */
      readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
    };

/** How many runs are kept, each with its record, transcript and events. */
export interface KeptRunsOption {
  /**
   * Number of runs that are kept. A run removes older ones when it ends. With 0, this run is not
   * kept, as with `logging: { type: 'stdout' }`. @default 200
   */
  readonly keep?: number;
}

/** Timeouts of the steps around the agent, in milliseconds. */
export interface Timeouts {
  /** Copying the files of `copyToWorktree`. @default 60000 */
  readonly copyToWorktreeMs?: number;
  /** Each git command that opens or closes a worktree. @default 10000 */
  readonly gitSetupMs?: number;
  /** Each shell expression of a prompt file. @default 30000 */
  readonly promptExpressionMs?: number;
  /** Collecting the agent's commits. @default 30000 */
  readonly commitCollectionMs?: number;
  /** Merging into the target branch. @default 30000 */
  readonly mergeToHostMs?: number;
  /** With `publish`: the push, and the opening of the pull request, each. @default 120000 */
  readonly publishMs?: number;
  /** Copying a session between host and sandbox. @default 60000 */
  readonly sessionCopyMs?: number;
  /** Closing the sandbox. A sandbox that is still open then is left behind with a warning. @default 60000 */
  readonly sandboxCloseMs?: number;
  /**
   * Handing over the work inside after an abort, all steps together. Work that is not handed over
   * in time is left in the sandbox or its git store, with a warning.
   * @default 120000
   */
  readonly abortedHandOverMs?: number;
}

/** Limits on host writes of a run outside its worktree, in bytes. */
export interface RunLimits {
  /** Total size of a session that is copied between host and sandbox. @default 67108864 */
  readonly sessionBytes?: number;
  /**
   * Bytes that the run adds to its log. Beyond this, the log notes once that the rest was omitted.
   * @default 268435456
   */
  readonly logBytes?: number;
  /**
   * Size of a recording. At the limit the recording ends as after a crash, and the run warns.
   * @default 268435456
   */
  readonly recordingBytes?: number;
}

/** Budget of a run over all its attempts. */
export interface Budget {
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** US dollars. Requires an agent that reports its cost, or `prices`. */
  readonly usd?: number;
  /** Requests to the model. Counted only if a proxy forwards them, as with `egress: 'model'`. */
  readonly requests?: number;
}
