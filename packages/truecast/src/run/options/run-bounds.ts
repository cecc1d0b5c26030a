/** Groups of a run's options: logging, timeouts, policies, session and budget. */
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { PolicyLevel } from '../../support/policy-level.ts';
import type { AgentStreamEvent } from '../events/agent-stream-event.ts';
import type { SensitiveChangesPolicy } from '../review/sensitive-changes-policy.ts';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** Destination of a run's log, and what else a run keeps. */
export type LoggingOption = FileLogging | StdoutLogging;

interface FileLogging extends KeptOutput {
  /** A file. @default 'file' */
  readonly type?: 'file';
  /** Path of the log. @default `logs/<branch>[-<name>].log` in the repository's state folder */
  readonly path?: string;
  /**
   * Also shows the run on this stream. A terminal gets short lines, and below them one status row for each
   * run that it shows. Other streams get only the lines. @default none
   */
  readonly live?: NodeJS.WritableStream;
  /**
   * Bytes that the run adds to its log. Beyond this, the log notes once that the rest was omitted.
   * @default 268435456
   */
  readonly maxBytes?: number;
  /**
   * Number of runs that are kept in the repository's state folder, for the console. A run removes
   * older ones when it ends. With 0, this run is not kept, as with `type: 'stdout'`. @default 200
   */
  readonly keepRuns?: number;
}

interface StdoutLogging extends KeptOutput {
  /** Writes the whole log as it arrives. A terminal gets short lines and one status row below. */
  readonly type: 'stdout';
}

interface KeptOutput {
  /** Also writes the agent's raw stdout. @default false */
  readonly verbose?: boolean;
  /**
   * Called with the agent's text, tool calls and raw lines as they arrive. Its exceptions are
   * ignored.
   */
  readonly onAgentStreamEvent?: (event: AgentStreamEvent) => void;
  /**
   * File to record the agent to; an existing file is overwritten. The recording contains the
   * agent's stdout with timestamps, its exit, its command line and its changes. Secrets are masked
   * as in logs. `replay()` plays it back. @default none
   */
  readonly record?: string;
  /**
   * Size of the recording. At the limit it ends as after a crash, and the run warns.
   * @default 268435456
   */
  readonly maxRecordBytes?: number;
}

/** Timeouts of the steps around the agent, in milliseconds. */
export interface Timeouts {
  /** Copying the files of `copyToWorktree`. @default 60000 */
  readonly copyToWorktreeMs?: number;
  /** Each git command that opens or closes a worktree. @default 60000 */
  readonly gitSetupMs?: number;
  /** Each shell expression of a prompt file. @default 30000 */
  readonly promptExpressionMs?: number;
  /** Collecting the agent's commits. @default 120000 */
  readonly commitCollectionMs?: number;
  /** Merging into the target branch. @default 120000 */
  readonly mergeToHostMs?: number;
  /**
   * Each call of a `check`, of an answer or before a merge. One that does not end in time has failed.
   * @default 1800000
   */
  readonly checkMs?: number;
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

/** Timeouts of a run, in milliseconds. */
export interface RunTimeouts extends Timeouts {
  /** The whole run. @default none */
  readonly runMs?: number;
  /** Time without output after which the agent counts as hung. @default 600000 */
  readonly idleMs?: number;
  /** Time that the process can continue after its completion signal. @default 60000 */
  readonly completionMs?: number;
  /** All waits of `policies.onLimit: 'wait'` together. They count towards `runMs` too. @default 21600000 */
  readonly limitWaitMs?: number;
}

/** Policies of a place. Each run there can choose its own. */
export interface PlacePolicies {
  /**
   * For a merge whose changes run code on the host later, such as hooks or editor tasks. `error`
   * refuses the merge. `warn` lists them in `sensitiveChanges` of the result, and `allow` lists
   * none. An object has one level for those that run at the next git command, and one for the
   * others. @default `{ git: 'error', others: 'warn' }`
   */
  readonly sensitiveChanges?: SensitiveChangesPolicy;
}

/** Policies of a run. */
export interface RunPolicies extends PlacePolicies {
  /**
   * For a valid answer that contains a secret: a value of the run's environment, or text with the
   * shape of a token. The answer itself is never altered. `warn` adds the warning
   * `secret-in-output` with its path. `error` fails the run before anything is merged.
   * @default 'warn'
   */
  readonly secretsInOutput?: PolicyLevel;
  /**
   * For commits of the agent that contain a value of `.truecast/.env`, of `env`, or of an inherited
   * variable with a secret name: in a file, a file name or a message. Values below eight characters
   * do not count. `error` merges and publishes nothing. `warn` adds the warning
   * `secret-in-commits`. `allow` searches nothing. @default 'error'
   */
  readonly secretsInCommits?: PolicyLevel;
  /**
   * For a rate or usage limit of the model service. `fail` rejects with an `AgentError`
   * (`rate-limit`) that contains the reset time. `wait` waits for the reset and continues in the
   * same session. @default 'fail'
   */
  readonly onLimit?: 'wait' | 'fail';
  /**
   * For a run with an `id` whose agent was stopped before its session was stored. `auto` starts the agent
   * from the beginning if it could change nothing outside of its worktree: in a sandbox with the egress
   * `none` or `model`. Otherwise it rejects with a `UsageError` (`not-repeatable`). `restart` always starts
   * it, and `fail` never. @default 'auto'
   */
  readonly onInterruption?: 'auto' | 'restart' | 'fail';
}

export interface SessionOption {
  /** Continues this session. @default a new session */
  readonly resume?: string;
  /** With `resume`: continues in a new session and leaves the original unchanged. @default false */
  readonly fork?: boolean;
  /** Total size of a session that is copied between host and sandbox, in bytes. @default 67108864 */
  readonly maxBytes?: number;
}

/** Limits on host writes of a run outside its worktree, in bytes. */
export interface RunLimits {
  readonly sessionBytes: number;
  readonly logBytes: number;
  readonly recordingBytes: number;
}

/** Budget of a run over all its attempts. */
export interface Budget {
  /** Input and output tokens together. */
  readonly tokens?: number;
  /** US dollars. Requires an agent that reports its cost, or `prices`. */
  readonly usd?: number;
  /** Requests to the model. Counted only if a proxy forwards them, as with `egress: 'model'`. */
  readonly requests?: number;
  /** Prices of the model, for `usd` with an agent that reports no cost. */
  readonly prices?: Prices;
}

const MEBIBYTE = 1024 * 1024;

/**
 * Completes the limits.
 *
 * @throws UsageError if one is not a positive number of bytes
 */
export function completeLimits(logging: LoggingOption, session: SessionOption): RunLimits {
  const log = 'maxBytes' in logging ? logging.maxBytes : undefined;
  return {
    sessionBytes: bytes('session.maxBytes', session.maxBytes, 64),
    logBytes: bytes('logging.maxBytes', log, 256),
    recordingBytes: bytes('logging.maxRecordBytes', logging.maxRecordBytes, 256),
  };
}

function bytes(name: string, value: number | undefined, mebibytes: number): number {
  if (value === undefined) return mebibytes * MEBIBYTE;
  if (typeof value === 'number' && value > 0) return value;
  throw new UsageError(`Expected \`${name}\` to be a positive number of bytes, got ${describeValue(value)}.`);
}
