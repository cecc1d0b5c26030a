/**
 * Outcome of a run, as printed on stdout. Identical for each play or replay of the same run. Pure.
 */
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';

/** Outcome of a run, without ids and timestamps. */
export interface RunOutcome {
  readonly scenario: unknown;
  readonly seed: unknown;
  /** Null while the run is open. */
  readonly reason: unknown;
  readonly winner: unknown;
  readonly winnerKind: unknown;
  readonly winningModels: unknown;
  readonly turns: number;
  readonly tokens: unknown;
  /** The last verdict: the judge and the decision. */
  readonly verdict: Readonly<Record<string, unknown>> | null;
}

/** Derives the outcome from a run's events. */
export function outcomeOf(events: readonly LedgerEvent[]): RunOutcome {
  const payloadOf = (kind: string): LedgerEvent['payload'] =>
    events.find((event) => event.kind === kind && event.actor === 'conductor')?.payload ?? {};
  const started = payloadOf('run.started');
  const finished = payloadOf('run.finished');
  const verdict = events.findLast(({ kind }) => kind === 'judge.verdict');
  return {
    scenario: started['scenario'] ?? null,
    seed: started['seed'] ?? null,
    reason: finished['reason'] ?? null,
    winner: finished['winner'] ?? null,
    winnerKind: finished['winner_kind'] ?? null,
    winningModels: finished['winning_models'] ?? [],
    turns: events.at(-1)?.turn ?? 0,
    tokens: finished['tokens'] ?? null,
    verdict: verdict === undefined ? null : { by: verdict.actor, ...verdict.payload },
  };
}
