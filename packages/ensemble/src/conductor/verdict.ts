/** Verdict evaluation: whether the named winner is eligible, and who wins with it. Pure. */
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import { memberOf, textOf } from '../ledger/fold.ts';
import type { CastMember, EnsembleScenario } from '../scenario/ensemble-scenario.ts';

/** The winner of a run. */
export interface Winner {
  readonly winner: string;
  readonly winnerKind: 'agent' | 'team';
  /** Names of the winners. */
  readonly members: readonly string[];
}

/**
 * Returns the winner that an event declares: a judge's verdict for a player or a team, if the
 * scenario is a competition.
 *
 * A verdict without a winner, with `no_contest`, or for an ineligible name declares no winner: the
 * play continues.
 */
export function winnerOf(scenario: EnsembleScenario, event: LedgerEvent): Winner | undefined {
  const { competition = { kind: 'none' }, cast } = scenario;
  const judge = cast.find(({ name }) => name === event.actor);
  if (event.kind !== 'judge.verdict' || judge?.role !== 'judge' || competition.kind === 'none')
    return undefined;
  const winner = textOf(event.payload, 'winner');
  if (winner === undefined || memberOf(event.payload, 'no_contest') !== undefined) return undefined;
  if (cast.some((member) => member.name === winner && isPlayer(member)))
    return { winner, winnerKind: 'agent', members: [winner] };
  const teams = competition.kind === 'versus' ? (competition.teams ?? {}) : {};
  const members = Object.hasOwn(teams, winner) ? teams[winner] : undefined;
  return members === undefined ? undefined : { winner, winnerKind: 'team', members };
}

function isPlayer({ role }: CastMember): boolean {
  return role !== 'judge' && role !== 'observer';
}
