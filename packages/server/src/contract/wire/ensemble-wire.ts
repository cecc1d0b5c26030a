/** Zod schemas of ensemble runs. Pure. */
import { z } from 'zod';
import type {
  EnsembleRunPageView,
  EnsembleRunView,
  LedgerEventPageView,
  LedgerEventView,
  ScenarioListView,
} from '@truecast/client/internal/wire/ensemble';
import type { WireSchema } from '../wire-schema.ts';

export type { EnsembleRunView, LedgerEventView } from '@truecast/client/internal/wire/ensemble';

const time = z.string().meta({ format: 'date-time' });
const text = z.string().exactOptional();
const members = z.record(z.string(), z.unknown());

/** Schema of a run. */
export const ensembleRunViewSchema: WireSchema<EnsembleRunView> = z
  .strictObject({
    run_id: z.string(),
    scenario: z.string(),
    seed: z.string(),
    goal: z.string(),
    cast: z.array(z.strictObject({ name: z.string(), role: z.string(), model: z.string() })),
    started_at: time,
    ended_at: time.exactOptional(),
    reason: text,
    winner: text,
    competition: text,
    winners: z.array(z.string()).exactOptional(),
    winning_models: z.array(z.string()).exactOptional(),
  })
  .meta({ ref: 'EnsembleRun' });

/** Schema of a page of ensemble runs. */
export const ensembleRunPageViewSchema: WireSchema<EnsembleRunPageView> = z
  .strictObject({ runs: z.array(ensembleRunViewSchema), next: text })
  .meta({ ref: 'EnsembleRunPage' });

const eventSchema: WireSchema<LedgerEventView> = z
  .strictObject({
    id: z.string(),
    offset: z.int(),
    turn: z.int(),
    kind: z.string(),
    actor: z.string(),
    payload: members,
    created_at: time,
    caused_by: text,
    model: text,
    provenance: members.exactOptional(),
  })
  .meta({ ref: 'LedgerEvent' });

/** Schema of a page of events. */
export const ledgerEventPageViewSchema: WireSchema<LedgerEventPageView> = z
  .strictObject({ run: ensembleRunViewSchema, events: z.array(eventSchema), next: text })
  .meta({ ref: 'LedgerEventPage' });

const scenarioSchema = z
  .strictObject({
    name: z.string(),
    title: z.string(),
    goal: z.string(),
    default_seed: z.string(),
    competition: z.string(),
    cast: z.array(z.strictObject({ name: z.string(), role: text })),
  })
  .meta({ ref: 'Scenario' });
const problemSchema = z
  .strictObject({ file: z.string(), line: z.int(), column: z.int(), message: z.string(), hint: text })
  .meta({ ref: 'ManifestProblem' });

/** Schema of a list of scenarios. */
export const scenarioListViewSchema: WireSchema<ScenarioListView> = z
  .strictObject({ folder: text, scenarios: z.array(scenarioSchema), problems: z.array(problemSchema) })
  .meta({ ref: 'ScenarioList' });
