/** Parser of scenario manifests: their YAML keys and the TypeScript form. Pure. */
import { z } from 'zod';
import type { Competition, EnsembleLimits } from '../scenario/ensemble-scenario.ts';
import { COUNT, strictMapping, TEXT } from '@truecast/model/internal/models-file/field-schemas';
import { judgeScenario } from './judge-scenario.ts';
import {
  NAME_FIELD,
  POSITIVE,
  readManifest,
  type ManifestForm,
  type ManifestRead,
  type ManifestText,
} from './read-fields.ts';
import { COMPETITION_KINDS, type CompleteScenario } from './scenario-manifest.ts';

const MEMBERS = z.array(NAME_FIELD, 'a list of names').min(1, 'a list of at least one name');

/** Bounded by the longest delay of a timer. */
const SECONDS = POSITIVE.max(2_000_000, 'at most 2000000');

const GOVERNOR = strictMapping({
  max_turns: COUNT.optional(),
  max_calls_per_turn: COUNT.optional(),
  max_total_calls: COUNT.optional(),
  max_total_tokens: COUNT.nullable().optional(),
  hourly_budget_usd: POSITIVE.nullable().optional(),
  max_consecutive_failures: COUNT.optional(),
  max_woken_per_turn: COUNT.optional(),
  turn_timeout_seconds: SECONDS.optional(),
});

const COMPETITION = strictMapping({
  kind: z.enum(COMPETITION_KINDS, `one of ${COMPETITION_KINDS.join(', ')}`).default('none'),
  teams: z.record(z.string(), MEMBERS, 'a mapping of teams to their members').optional(),
  hidden: TEXT.optional(),
  symmetric_seats: z.array(NAME_FIELD, 'a list of names').min(2, 'a list of two names or more').optional(),
});

const KEYS = strictMapping({
  name: NAME_FIELD,
  title: TEXT,
  goal: TEXT,
  default_seed: TEXT,
  cast: MEMBERS,
  genesis_text: TEXT,
  governor: GOVERNOR.prefault({}),
  competition: COMPETITION.prefault({}),
  parallel: z.boolean('true or false').default(false),
});

const SCENARIO: ManifestForm<CompleteScenario> = {
  noun: 'a scenario',
  schema: KEYS.transform(({ governor, competition, ...fields }): CompleteScenario => ({
    name: fields.name,
    title: fields.title.trim(),
    goal: fields.goal.trim(),
    defaultSeed: fields.default_seed.trim(),
    cast: fields.cast,
    genesisText: fields.genesis_text.trim(),
    governor: toGovernor(governor),
    competition: toCompetition(competition),
    ...(fields.parallel && { parallel: true }),
  })),
  fillers: {
    name: 'unnamed',
    title: '-',
    goal: '-',
    default_seed: '-',
    cast: ['unnamed'],
    genesis_text: '-',
    // The kind with all keys.
    'competition.kind': 'versus',
  },
  judge: judgeScenario,
};

/** Parses a scenario manifest. Its cast is validated later, when all agents are known. */
export function readScenarioManifest(text: ManifestText): ManifestRead<CompleteScenario> {
  return readManifest(text, SCENARIO);
}

function millisecondsOf(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.ceil(seconds * 1_000);
}

/** `null` is an unset limit. */
function toGovernor(fields: z.output<typeof GOVERNOR>): EnsembleLimits {
  const named: Record<keyof EnsembleLimits, number | null | undefined> = {
    turns: fields.max_turns,
    callsPerTurn: fields.max_calls_per_turn,
    calls: fields.max_total_calls,
    tokens: fields.max_total_tokens,
    usdPerHour: fields.hourly_budget_usd,
    consecutiveFailures: fields.max_consecutive_failures,
    cascade: fields.max_woken_per_turn,
    turnTimeoutMs: millisecondsOf(fields.turn_timeout_seconds),
  };
  return Object.fromEntries(Object.entries(named).filter(([, bound]) => typeof bound === 'number'));
}

/**
 * Teams of a competition kind without teams are kept, so that they can be reported as a problem.
 */
function toCompetition({
  kind,
  teams,
  hidden,
  symmetric_seats: symmetricSeats,
}: z.output<typeof COMPETITION>): Competition {
  const given = {
    ...(teams !== undefined && { teams }),
    ...(hidden !== undefined && { hidden }),
    ...(symmetricSeats !== undefined && { symmetricSeats }),
  };
  return { kind, ...given };
}
