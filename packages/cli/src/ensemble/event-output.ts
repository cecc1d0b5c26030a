/** Event output of commands on a run: the view on stderr, the events or the outcome on stdout. */
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { printResult, type Terminal, toJsonText } from '../terminal/print.ts';
import { createEnsembleDisplay } from './view/ensemble-display.ts';

/** Destination of the events of one run. */
export interface EventOutput {
  /** Accepts the next event. Resolves after its line is flushed. */
  take(event: LedgerEvent): Promise<void>;
  asking(name: string, turn: number): void;
  /** Absent if the run is not shown on a live terminal. */
  readonly saying?: (name: string, text: string) => void;
  /** Restores the terminal. Idempotent. */
  close(): void;
  /** Prints the outcome. Prints nothing with `isJson`, because the events were printed already. */
  finish(): Promise<RunOutcome>;
}

export interface EventOutputOptions {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly title?: string;
  readonly limits?: EnsembleLimits;
}

export function createEventOutput({ terminal, isJson, isQuiet, ...view }: EventOutputOptions): EventOutput {
  const display = isQuiet ? undefined : createEnsembleDisplay(terminal.stderr, view);
  const events: LedgerEvent[] = [];
  return {
    async take(event) {
      events.push(event);
      display?.update(event);
      if (isJson) await printLine(event, terminal);
    },
    asking: (name, turn) => display?.asking(name, turn),
    ...(display?.saying !== undefined && { saying: display.saying }),
    close: () => display?.close(),
    async finish() {
      display?.close();
      const outcome = outcomeOf(events);
      if (!isJson) await printResult(outcome, terminal);
      return outcome;
    },
  };
}

function printLine(event: LedgerEvent, { stdout }: Terminal): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(`${toLine(event)}\n`, (error) => (error ? reject(error) : resolve()));
  });
}

/**
 * Fixes the key order, so that an appended event and the same event from the ledger print alike.
 */
function toLine({ id, runId, offset, turn, kind, actor, payload, ...rest }: LedgerEvent): string {
  return toJsonText({ offset, id, runId, turn, kind, actor, payload, ...rest });
}

/** Outcome of a run, without ids and timestamps. */
interface RunOutcome {
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
function outcomeOf(events: readonly LedgerEvent[]): RunOutcome {
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
