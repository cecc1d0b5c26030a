/** Port of the archive of runs of coding agents. */
import type { ChangesView } from '@truecast/client/internal/wire/changes';
import type {
  KeptRunView,
  RunDetailView,
  RunEventPageView,
  RunPageView,
  RunStatus,
  RunTranscriptView,
} from '@truecast/client/internal/wire/kept-run';

/** Order of a list of requests or runs: creation, or a number of the receipt. */
export type ListSort = 'created' | 'cost' | 'duration' | 'attempts';

/** Direction of a list: the largest or the newest first, or the smallest or the oldest. */
export type ListDirection = 'asc' | 'desc';

/** Filters, order and page of a list of runs. */
export interface RunListQuery {
  readonly limit: number;
  /** `next` of the previous page. */
  readonly after?: string;
  /** By start, or by a number of the run. One that is live or without the number is left out. */
  readonly sort: ListSort;
  readonly direction: ListDirection;
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly model?: string;
  /** Part of the name, the branch or the prompt. Case is ignored. */
  readonly q?: string;
}

/** A page of a run's events. */
export interface RunEventQuery {
  /** Position after the last known event. 0 is the start. */
  readonly after: number;
  readonly limit: number;
}

/** A range of a transcript, in UTF-16 units. `to` is exclusive. */
export interface TranscriptRange {
  readonly from: number;
  readonly to?: number;
}

/** All commits of a run, or one of them. */
export interface CommitChoice {
  readonly commit: string | undefined;
  readonly signal: AbortSignal;
}

/** Reads what commits of a durable run changed. Undefined if this process does not have the repository. */
export type ReadRunWork = (
  repository: string,
  commits: readonly string[],
  choice: CommitChoice,
) => Promise<ChangesView | undefined>;

/** A run that started or ended. */
export interface ChangedRun {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly run: KeptRunView;
}

/** How a run's answer was obtained, or why it is missing. */
export interface LoggedOutcome {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly isValid: boolean;
  readonly attempts: number;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly mode?: string | undefined;
  readonly tag?: string | undefined;
  readonly schemaHash?: string | undefined;
  readonly costUsd?: number | undefined;
  readonly durationMs?: number | undefined;
}

/** Reads the runs in one repository, finished or not. A run that does not exist is undefined. */
export interface RunArchive {
  /** Lists runs in the order of the query. `run_id` is the `id` with which a run was started, if it had one. */
  list(query: RunListQuery): Promise<RunPageView>;
  /** Lists the runs that started or ended since a time, oldest change first. */
  changes(sinceMs: number): Promise<readonly ChangedRun[]>;
  /**
   * Reads the outcomes of the runs that required an answer. Kept longer than the runs.
   *
   * @yields outcomes, the oldest first
   * @returns true if no older outcome is missing
   */
  outcomes(): AsyncGenerator<LoggedOutcome, boolean>;
  read(id: string): Promise<RunDetailView | undefined>;
  /** Returns events that are already written, without waiting. */
  events(id: string, query: RunEventQuery): Promise<RunEventPageView | undefined>;
  /** A range beyond the end is shortened. */
  transcript(id: string, range: TranscriptRange): Promise<RunTranscriptView | undefined>;
  /** Reads what its commits changed together, or one of them. Undefined for a commit of another run. */
  diff(id: string, commit: string | undefined, signal: AbortSignal): Promise<ChangesView | undefined>;
}
