/** Port of the archive of kept runs. */
import type { KeptRunView, RunDetailView, RunPageView, RunStatus } from '@truecast/client/internal/wire/run';

/** Filters and page of a list of runs. */
export interface RunListQuery {
  readonly limit: number;
  /** Id of the last run of the page before. */
  readonly after?: string;
  readonly status?: RunStatus;
  readonly agent?: string;
  /** Part of the name, the branch or the prompt, in any case. */
  readonly q?: string;
}

/** A written run. */
export interface ChangedRun {
  /** Milliseconds since 1970. */
  readonly atMs: number;
  readonly run: KeptRunView;
}

/** Reads the runs of coding agents in one repository. */
export interface RunArchive {
  /** Lists runs, the newest first. */
  list(query: RunListQuery): Promise<RunPageView>;
  /** Lists the runs that were written since a time, the first one first. */
  changes(sinceMs: number): Promise<readonly ChangedRun[]>;
  /** Returns undefined if there is no such run. */
  read(id: string): Promise<RunDetailView | undefined>;
}
