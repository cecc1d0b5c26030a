/** Wire format of ensemble runs on the ledger. */
import {
  array,
  integer,
  limited,
  object,
  optional,
  record,
  string,
  time,
  type ObjectOf,
  type Shape,
} from '@truecast/core/internal/shape/shape';

const text = optional(string);

const runMembers = {
  run_id: string,
  scenario: string,
  seed: string,
  goal: string,
  cast: array(object({ name: string, role: string, model: string })),
  started_at: time,
  /** Absent while the run is open, as the next two are. */
  ended_at: optional(time),
  reason: text,
  winner: text,
  /** Form of the contest. Absent if nothing can be won. */
  competition: text,
  /** Members that won: the winner, or its team. Absent while the run is open, as the next is. */
  winners: optional(array(string)),
  winning_models: optional(array(string)),
};
/** An ensemble run. Its strings are written by agents and manifests. */
export interface EnsembleRunView extends ObjectOf<typeof runMembers> {}
export const ensembleRunView: Shape<EnsembleRunView> = object(runMembers, 'EnsembleRun');

const runPageMembers = {
  runs: array(ensembleRunView),
  /** `after` of the next page. Absent on the last one. */
  next: text,
};
/** A page of ensemble runs, newest first. */
export interface EnsembleRunPageView extends ObjectOf<typeof runPageMembers> {}
export const ensembleRunPageView: Shape<EnsembleRunPageView> = object(runPageMembers, 'EnsembleRunPage');

const eventMembers = {
  id: string,
  /** Position on the ledger. Grows with every event, across all runs. */
  offset: integer,
  turn: integer,
  kind: string,
  actor: string,
  payload: record,
  created_at: time,
  /** Id of the event that this one answers. */
  caused_by: text,
  model: text,
  /** How the answer was obtained: path, rung, attempts and repairs. */
  provenance: optional(record),
};
/** One event of a run. */
export interface LedgerEventView extends ObjectOf<typeof eventMembers> {}
const ledgerEventView: Shape<LedgerEventView> = object(eventMembers, 'LedgerEvent');

const eventPageMembers = {
  run: ensembleRunView,
  events: array(ledgerEventView),
  /** `after` of the next page. Absent on the last one. */
  next: text,
};
/** A page of the events of a run, oldest first. */
export interface LedgerEventPageView extends ObjectOf<typeof eventPageMembers> {}
export const ledgerEventPageView: Shape<LedgerEventPageView> = object(eventPageMembers, 'LedgerEventPage');

const sayMembers = {
  /** The visitor's words to the actors. */
  text: limited({ min: 1, max: 4_000 }),
};
/** A person's message to an open run. */
export interface SayBody extends ObjectOf<typeof sayMembers> {}
export const sayBody: Shape<SayBody> = object(sayMembers, 'Say');

const saidMembers = {
  /** Id of the message. The event `user.injected` of the run names it in `caused_by`. */
  id: string,
};
/** A stored message. The process that plays the run injects it. */
export interface SaidView extends ObjectOf<typeof saidMembers> {}
export const saidView: Shape<SaidView> = object(saidMembers, 'Said');

const scenarioMembers = {
  name: string,
  title: string,
  goal: string,
  /** Starting text of a run without its own text. */
  default_seed: string,
  /** Form of the contest: `versus`, `judged` or `none`. */
  competition: string,
  /** In turn order. `role` is absent if the manifest of the agent is missing or invalid. */
  cast: array(object({ name: string, role: text })),
};
/** A scenario of a manifest. */
export interface ScenarioView extends ObjectOf<typeof scenarioMembers> {}
const scenarioView: Shape<ScenarioView> = object(scenarioMembers, 'Scenario');

const problemMembers = {
  file: string,
  /** 1-based, as `column` is. */
  line: integer,
  column: integer,
  message: string,
  /** How to fix the problem. */
  hint: text,
};
/** A problem of a manifest and its position. */
export interface ManifestProblemView extends ObjectOf<typeof problemMembers> {}
const manifestProblemView: Shape<ManifestProblemView> = object(problemMembers, 'ManifestProblem');

const scenarioListMembers = {
  /** Folder of the manifests. Absent if the scenarios are the ones that the package ships. */
  folder: text,
  /** By name. With problems, those that could be read. */
  scenarios: array(scenarioView),
  /** By file, line and column. */
  problems: array(manifestProblemView),
};
/** The scenarios of a folder, with the problems of the manifests. */
export interface ScenarioListView extends ObjectOf<typeof scenarioListMembers> {}
export const scenarioListView: Shape<ScenarioListView> = object(scenarioListMembers, 'ScenarioList');
