/** Checks of ensemble runs and their events. Pure. */
import {
  array,
  integer,
  object,
  optional,
  record,
  string,
  type Check,
} from '@truecast/client/internal/check';
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
const run: Check<EnsembleRunView> = object({
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
const event: Check<LedgerEventView> = object({
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
export const ensembleListCheck: Check<EnsembleRunPageView> = object({ runs: array(run), next: text });

/** Check of a page of events. */
export const eventPageCheck: Check<LedgerEventPageView> = object({ run, events: array(event), next: text });

const scenario: Check<ScenarioView> = object({
  name: string,
  title: string,
  goal: string,
  default_seed: string,
  competition: string,
  cast: array(object({ name: string, role: text })),
});
const problem: Check<ManifestProblemView> = object({
  file: string,
  line: integer,
  column: integer,
  message: string,
  hint: text,
});

/** Check of the scenarios. */
export const scenarioListCheck: Check<ScenarioListView> = object({
  folder: text,
  scenarios: array(scenario),
  problems: array(problem),
});
