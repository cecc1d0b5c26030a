/** Checks of ensemble runs and their events. Pure. */
import {
  array,
  integer,
  object,
  optional,
  record,
  string,
  type Shape,
} from '@truecast/core/internal/shape/shape';
import type {
  EnsembleRunPageView,
  EnsembleRunView,
  LedgerEventPageView,
  LedgerEventView,
  ManifestProblemView,
  ScenarioListView,
  ScenarioView,
} from '@truecast/client/internal/wire/ensemble';

const text = optional(string);
const run: Shape<EnsembleRunView> = object({
  run_id: string,
  scenario: string,
  seed: string,
  goal: string,
  cast: array(object({ name: string, role: string, model: string })),
  started_at: string,
  ended_at: text,
  reason: text,
  winner: text,
  competition: text,
  winners: optional(array(string)),
  winning_models: optional(array(string)),
});
const event: Shape<LedgerEventView> = object({
  id: string,
  offset: integer,
  turn: integer,
  kind: string,
  actor: string,
  payload: record,
  created_at: string,
  caused_by: text,
  model: text,
  provenance: optional(record),
});

/** Check of a page of runs. */
export const ensembleListCheck: Shape<EnsembleRunPageView> = object({ runs: array(run), next: text });

/** Check of a page of events. */
export const eventPageCheck: Shape<LedgerEventPageView> = object({ run, events: array(event), next: text });

const scenario: Shape<ScenarioView> = object({
  name: string,
  title: string,
  goal: string,
  default_seed: string,
  competition: string,
  cast: array(object({ name: string, role: text })),
});
const problem: Shape<ManifestProblemView> = object({
  file: string,
  line: integer,
  column: integer,
  message: string,
  hint: text,
});

/** Check of the scenarios. */
export const scenarioListCheck: Shape<ScenarioListView> = object({
  folder: text,
  scenarios: array(scenario),
  problems: array(problem),
});
