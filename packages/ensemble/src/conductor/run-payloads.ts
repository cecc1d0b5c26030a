/** Payloads of the run's own events: start, first scene, end. Pure. */
import type { EnsembleScenario } from '../scenario/ensemble-scenario.ts';
import type { RunState } from './run-state.ts';

/** Returns the payload of `run.started`: all data about the run that a view needs. */
export function startedPayload(scenario: EnsembleScenario): Record<string, unknown> {
  const { name, seed, goal, cast, competition } = scenario;
  const seats = cast.map((member) => [member.name, { model: member.model, role: member.role }] as const);
  return {
    seed,
    goal,
    scenario: name,
    cast: Object.fromEntries(seats),
    ...(competition !== undefined && { competition }),
  };
}

/** Returns the payload of the first scene. */
export function genesisPayload({ genesisText, seed }: EnsembleScenario): Record<string, unknown> {
  // A replacer function, because a string would be searched for `$&` and similar patterns.
  return { text: genesisText.replaceAll('{seed}', () => seed) };
}

export function finishedPayload(
  { winner, models, turn, spend }: RunState,
  reason: string,
): Record<string, unknown> {
  const members = winner?.members ?? [];
  return {
    reason,
    winner: winner?.winner ?? null,
    winner_kind: winner?.winnerKind ?? null,
    winners: members,
    winning_models: [
      ...new Set(members.map((name) => models.get(name) ?? '').filter((model) => model !== '')),
    ],
    turns: turn,
    ...(spend.tokens !== undefined && { tokens: spend.tokens }),
  };
}
