/** Port of the archive of runs of coding agents. */
import type {
  KeptRunView,
  RunDetailView,
  RunEventPageView,
  RunPageView,
  RunStatus,
  RunTranscriptView,
} from '@truecast/client/internal/wire/run';

/** Filters and page of a list of runs. */
export interface RunListQuery {
  readonly limit: number;
  /** Id of the last run of the page before. */
  readonly after?: string;
  readonly status?: RunStatus;
  readonly agent?: string;
  readonly model?: string;
  /** Part of the name, the branch or the prompt, in any case. */
  readonly q?: string;
}

/** A page of a run's events. */
export interface RunEventQuery {
  /** Position behind the last known event. 0 is the start. */
  readonly after: number;
  readonly limit: number;
}

/** A range of a transcript, in UTF-16 units. `to` is exclusive. */
export interface TranscriptRange {
  readonly from: number;
  readonly to?: number;
}

/** A run that was started or has ended. */
export interface ChangedRun {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly run: KeptRunView;
}

/** How a run's answer was obtained, or that there is none. */
export interface LoggedOutcome {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly isValid: boolean;
  readonly attempts: number;
  readonly agent?: string | undefined;
  readonly model?: string | undefined;
  readonly route?: string | undefined;
  readonly tag?: string | undefined;
  readonly schemaHash?: string | undefined;
  readonly costUsd?: number | undefined;
}

/** Reads the runs in one repository, finished or not. A run that does not exist is undefined. */
export interface RunArchive {
  /** Lists runs, the newest first. */
  list(query: RunListQuery): Promise<RunPageView>;
  /** Lists the runs that were started or have ended since a time, the first one first. */
  changes(sinceMs: number): Promise<readonly ChangedRun[]>;
  /**
   * Reads the outcomes of the runs that required an answer. Kept longer than the runs.
   *
   * @yields outcomes, the oldest first
   * @returns true if no older outcome is missing
   */
  outcomes(): AsyncGenerator<LoggedOutcome, boolean>;
  read(id: string): Promise<RunDetailView | undefined>;
  /** Returns events that were written already, without waiting. */
  events(id: string, query: RunEventQuery): Promise<RunEventPageView | undefined>;
  /** A range beyond the end is cut. */
  transcript(id: string, range: TranscriptRange): Promise<RunTranscriptView | undefined>;
}
