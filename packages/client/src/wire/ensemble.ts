/** Wire format of ensemble runs on the ledger. Types only: the server has the Zod schemas. */

/** An ensemble run. Its strings are written by agents and manifests. */
export interface EnsembleRunView {
  readonly run_id: string;
  readonly scenario: string;
  readonly seed: string;
  readonly goal: string;
  readonly cast: readonly { readonly name: string; readonly role: string; readonly model: string }[];
  readonly started_at: string;
  /** Absent while the run is open, as the next two are. */
  readonly ended_at?: string;
  readonly reason?: string;
  readonly winner?: string;
  /** Form of the contest. Absent if nothing can be won. */
  readonly competition?: string;
  /** Members that won: the winner, or its team. Absent while the run is open, as the next is. */
  readonly winners?: readonly string[];
  readonly winning_models?: readonly string[];
}

/** A page of ensemble runs, newest first. */
export interface EnsembleRunPageView {
  readonly runs: readonly EnsembleRunView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** One event of a run. */
export interface LedgerEventView {
  readonly id: string;
  /** Position on the ledger. Grows with every event, across all runs. */
  readonly offset: number;
  readonly turn: number;
  readonly kind: string;
  readonly actor: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly created_at: string;
  /** Id of the event that this one answers. */
  readonly caused_by?: string;
  readonly model?: string;
  /** How the answer was obtained: path, rung, attempts and repairs. */
  readonly provenance?: Readonly<Record<string, unknown>>;
}

/** A page of the events of a run, oldest first. */
export interface LedgerEventPageView {
  readonly run: EnsembleRunView;
  readonly events: readonly LedgerEventView[];
  /** `after` of the next page. Absent on the last one. */
  readonly next?: string;
}

/** A scenario of a manifest. */
export interface ScenarioView {
  readonly name: string;
  readonly title: string;
  readonly goal: string;
  /** Starting text of a run that has none of its own. */
  readonly default_seed: string;
  /** Form of the contest: `versus`, `judged` or `none`. */
  readonly competition: string;
  /** In turn order. `role` is absent if the manifest of the agent is missing or invalid. */
  readonly cast: readonly { readonly name: string; readonly role?: string }[];
}

/** A problem of a manifest and its position. */
export interface ManifestProblemView {
  readonly file: string;
  /** 1-based, as `column` is. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** How to fix the problem. */
  readonly hint?: string;
}

/** The scenarios of a folder, with the problems of the manifests. */
export interface ScenarioListView {
  /** Folder of the manifests. Absent if the scenarios are the ones that the package ships. */
  readonly folder?: string;
  /** By name. With problems, those that could be read. */
  readonly scenarios: readonly ScenarioView[];
  /** By file, line and column. */
  readonly problems: readonly ManifestProblemView[];
}
