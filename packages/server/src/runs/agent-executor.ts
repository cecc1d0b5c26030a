/** Port of the program that executes agent runs. The server imports no coding agent. */
import type {
  AgentRunAttempt,
  AgentRunError,
  CreateAgentRunBody,
} from '@truecast/client/internal/wire/runs/agent-run';
import type { ReceiptUsage } from '@truecast/client/internal/wire/receipt';
import type { PushMode } from '@truecast/client/internal/wire/wire-codes';
import type { RemovedRemains } from '../contract/observed-work.ts';
import type { Known } from '@truecast/core/internal/shape/shape';
import type { ContinuedRun } from './continued-run.ts';
import type { LeftRunFacts } from './decide-clean-up.ts';
import type { RunBudgets } from '../config/run-settings.ts';
import type { RunBlob } from './run-blob.ts';
import type { NewRunEvent } from './run-event.ts';
import type { RunPhase } from './run-transitions.ts';

/** Runs that a process can execute. */
export interface RunOffers {
  readonly repositories: readonly string[];
  readonly agents: readonly string[];
  /** Beginning of each branch that a client can name. @default any branch */
  readonly branchPrefix?: string;
  /** Most that a client can request, by the name of a repository with an address. @default none */
  readonly pushes?: Readonly<Record<string, PushMode>>;
  /** Limits of a run without its own, and their maximum. @default none */
  readonly budget?: RunBudgets['perRun'];
}

/** Executes agent runs in this process. */
export interface AgentExecutor {
  readonly offers: RunOffers;
  /** Concurrent runs. */
  readonly places: number;
  /** Leases after which a silent worker is lost: two if its agent can outlive it. @default 1 */
  readonly leases?: 1 | 2;
  /** Folder of a repository's checkout or clone on this machine. @default no commit is shown */
  readonly folderOf?: (repository: string) => string | undefined;
  /** What this machine has of runs. @default nothing that a worker can remove */
  readonly remains?: RunRemains;
  /** Executes a claimed run. A rejection ends the run as `internal`. */
  execute(run: ClaimedRun, report: RunReport): Promise<ExecutionEnding>;
}

/** Parts of runs on this machine: worktrees, logs and records, and the references in clones of addresses. */
export interface RunRemains {
  /** Lists the next runs of which something is here, from the first one again after the last. */
  next(limit: number): Promise<readonly LeftRun[]>;
}

/** A run of which something is on this machine. */
export interface LeftRun {
  readonly id: string;
  /**
   * Removes what can be removed. Undefined if another process works on it. A kill in the middle loses nothing, and
   * the next call removes the rest.
   */
  cleanUp(ports: CleanUpPorts): Promise<RemovedRemains | undefined>;
}

/** Reads of the database that a clean-up needs. */
export interface CleanUpPorts {
  readonly keepMs: number;
  /** Reads the run, under the locks of its branch. Undefined if the database does not have it. */
  readRun(): Promise<CleanableRun | undefined>;
  /** Reads the stored patch of the uncommitted work. */
  readPatch(): Promise<Uint8Array | undefined>;
}

/** A run as the clean-up of a machine reads it. */
export interface CleanableRun extends LeftRunFacts {
  readonly id: string;
  readonly owner: string;
  /** Branches on which its agents worked, the last one first. */
  readonly branches: readonly string[];
  /** Last commit that the remote's branch got from the run. */
  readonly pushedSha?: string;
}

/** A run that a worker of this process has claimed. */
export interface ClaimedRun {
  readonly id: string;
  readonly owner: string;
  /** Number of the execution, from 1. */
  readonly execution: number;
  readonly request: CreateAgentRunBody;
  readonly branch: string;
  /** Time since the start of the first execution, in milliseconds. */
  readonly elapsedMs: number;
  /** Session and prompts of earlier runs. Absent unless the run continues one. */
  readonly continued?: ContinuedRun;
  /** The run that it continues, or whose continuation it repeats. */
  readonly parentId?: string;
  /** State that an earlier execution left. */
  readonly earlier?: EarlierExecution;
}

export interface EarlierExecution {
  readonly phase: RunPhase;
  readonly baseSha?: string;
  /** Tip of the branch at the last checkpoint. */
  readonly headSha?: string;
  readonly sessionId?: string;
  /** Last commit that the remote's branch got from this run. */
  readonly pushedSha?: string;
}

/** Why a worker has to stop: a cancellation, a takeover by another worker, or its own shutdown. */
export type ExecutionStop = 'canceled' | 'superseded' | 'leaving';

/** Reports of an execution. */
export interface RunReport {
  /** Aborts with a `ExecutionStop`. */
  readonly signal: AbortSignal;
  /**
   * Stores the progress. The agent starts only after `working`.
   *
   * @param options.isJoined - true to store it with the next note or with the end, at the latest after a quarter of a
   *   second. @default false
   * @throws ChatStateError `superseded`, and `not-allowed` for `answered` while the run is canceled
   */
  note(note: RunNote, options?: { readonly isJoined?: boolean }): Promise<void>;
  /** Reads a blob that an earlier execution has stored, or the run that this one continues. @param of - `run` by default */
  readBlob(name: string, of?: 'run' | 'parent'): Promise<RunBlob | undefined>;
  /** Stores an event soon. Never fails. */
  event(event: NewRunEvent): void;
}

export interface RunNote {
  readonly phase?: 'working' | 'answered' | 'settled';
  /** Branch of this execution. A run that starts again elsewhere has another one than before. */
  readonly branch?: string;
  readonly baseSha?: string;
  readonly headSha?: string;
  /** Last commit that the remote's branch got. */
  readonly pushedSha?: string;
  readonly sessionId?: string;
  /** Of all executions. */
  readonly usage?: ReceiptUsage;
  /** Session and artifacts. Each replaces the one with its name. One over the limit is left out with a warning. */
  readonly blobs?: readonly RunBlob[];
}

/** Members of the receipt that an executor knows. */
export interface RunOutcome {
  /** The value as canonical JSON. */
  readonly valueText?: string;
  /** The agent's last text, of a run without a response format. */
  readonly text?: string;
  readonly mode?: string;
  readonly model?: string;
  readonly attempts?: readonly AgentRunAttempt[];
  /** Repairs of the accepted answer. @default none */
  readonly repairs?: readonly string[];
  readonly warnings?: readonly string[];
  readonly baseSha?: string;
  readonly headSha?: string;
  /** Last commit that the remote's branch got. */
  readonly pushedSha?: string;
  /** Of all executions, oldest first. */
  readonly commits?: readonly string[];
  readonly branch?: string;
  /** Branches on which agents worked that were not continued. */
  readonly earlierBranches?: readonly string[];
  readonly usage?: ReceiptUsage;
}

/** Error of a failed run, with a code that this version knows. */
export type RunFailure = Omit<AgentRunError, 'code'> & { readonly code: Known<AgentRunError['code']> };

/** Result of an execution. */
export type ExecutionEnding = RunOutcome & {
  /** Stored with the end. One that cannot be stored is a warning. @default none */
  readonly artifacts?: readonly RunBlob[];
  /** Called once the end is stored with all artifacts. @default none */
  readonly onStored?: () => void;
} & (
    | { readonly status: 'succeeded' }
    | { readonly status: 'failed'; readonly error: RunFailure }
    /** After an abort. */
    | { readonly status: 'stopped' }
    /** An earlier worker was lost, and its work cannot be continued. */
    | { readonly status: 'lost'; readonly reason: RunLoss }
  );

export type RunLoss = 'no_session' | 'no_tree' | 'agent_may_live' | 'executions';
