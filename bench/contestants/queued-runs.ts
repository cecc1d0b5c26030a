/** Requests and replies of the processes that execute many runs: a worker of the queue, or a batch. */

/** Opens everything, and starts nothing. */
export interface OpenRuns {
  readonly type: 'open';
  /** Repository that only this contestant uses. */
  readonly repository: string;
  /** Runs at once: of each worker, and of a batch. */
  readonly places: number;
  /** Absent for a batch. */
  readonly queue?: { readonly databaseUrl: string; readonly limit: number };
}

/** `start`: a worker begins to claim, and a batch executes its items and replies at their end. */
export type QueuedRunsRequest =
  | OpenRuns
  | { readonly type: 'start'; readonly runs: number }
  /** A worker ends. */
  | { readonly type: 'end' };

export interface QueuedRunsReply {
  /** Claims without a run. */
  readonly refusals: number;
  /** Processor time of this process and of the programs that it started. Undefined outside of Linux. */
  readonly cpuMs: number | undefined;
}

export const QUEUED_PROMPT = 'Count.';
