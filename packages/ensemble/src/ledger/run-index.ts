/** Run list projection: the start and end of each run. Pure. */
import type { LedgerEvent } from './ledger-event.ts';
import { amountOf, entriesOf, type Fold, memberOf, stringsOf, textOf } from './fold.ts';

/** Summary of a run. */
export interface RunSummary {
  readonly runId: string;
  readonly scenario: string;
  readonly seed: string;
  /** `none` without a competition. */
  readonly competition: string;
  readonly cast: readonly RunSeat[];
  readonly startedAt: string;
  /** Absent while the run is open. */
  readonly end?: RunEnd;
}

export interface RunSeat {
  readonly name: string;
  readonly role: string;
  readonly model: string;
}

/** Judges and observers do not play. */
export function isPlayer({ role }: Pick<RunSeat, 'role'>): boolean {
  return role !== 'judge' && role !== 'observer';
}

/** The end of a run. */
export interface RunEnd {
  readonly finishedAt: string;
  readonly reason: string;
  readonly winner: string | null;
  readonly winnerKind: 'agent' | 'team' | null;
  /** Winning cast members: the winner, or its team. */
  readonly winners: readonly string[];
  readonly winningModels: readonly string[];
  readonly turns: number;
  /** Absent if no call of the run reported its tokens. */
  readonly tokens?: number;
}

/** Computes the list of runs, in the order of their first event. */
export function foldRunIndex(): Fold<readonly RunSummary[]> {
  const runs = new Map<string, RunSummary>();
  return {
    apply(event) {
      if (event.kind === 'run.started' && !runs.has(event.runId)) runs.set(event.runId, summaryOf(event));
      const run = runs.get(event.runId);
      // The first end counts. The conductor appends only one.
      if (event.kind === 'run.finished' && run !== undefined && run.end === undefined) {
        runs.set(event.runId, { ...run, end: endOf(event) });
      }
    },
    read: () => [...runs.values()],
  };
}

function summaryOf({ runId, payload, createdAt }: LedgerEvent): RunSummary {
  return {
    runId,
    scenario: textOf(payload, 'scenario') ?? '',
    seed: textOf(payload, 'seed') ?? '',
    competition: textOf(memberOf(payload, 'competition'), 'kind') ?? 'none',
    cast: entriesOf(memberOf(payload, 'cast')).map(([name, seat]) => ({
      name,
      role: textOf(seat, 'role') ?? 'worker',
      model: textOf(seat, 'model') ?? '',
    })),
    startedAt: createdAt,
  };
}

function endOf({ payload, createdAt }: LedgerEvent): RunEnd {
  const winnerKind = textOf(payload, 'winner_kind');
  return {
    finishedAt: createdAt,
    reason: textOf(payload, 'reason') ?? '',
    winner: textOf(payload, 'winner') ?? null,
    winnerKind: winnerKind === 'agent' || winnerKind === 'team' ? winnerKind : null,
    winners: stringsOf(memberOf(payload, 'winners')),
    winningModels: stringsOf(memberOf(payload, 'winning_models')),
    turns: amountOf(payload, 'turns'),
    ...(memberOf(payload, 'tokens') !== undefined && { tokens: amountOf(payload, 'tokens') }),
  };
}
