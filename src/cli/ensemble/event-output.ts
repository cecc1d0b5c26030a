/** Owns what a command about a run writes of its events: the view on stderr, the events or the outcome on stdout. */
import type { EnsembleLimits } from '../../ensemble/conductor/ensemble-scenario.ts';
import type { LedgerEvent } from '../../ensemble/ledger/ledger-event.ts';
import { printResult, type Terminal } from '../print.ts';
import { createEnsembleDisplay } from './ensemble-display.ts';
import { outcomeOf, type RunOutcome } from './run-outcome.ts';

/** Where the events of one run go. */
export interface EventOutput {
  /** Takes the next event; resolves when its line is handed over. */
  take(event: LedgerEvent): Promise<void>;
  asking(name: string, turn: number): void;
  /** Gives the terminal back. May be called twice. */
  close(): void;
  /** Prints what the run came to, but with `isJson`, where the events were printed. */
  finish(): Promise<RunOutcome>;
}

/** What an output is made of. */
export interface EventOutputOptions {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly title?: string;
  readonly limits?: EnsembleLimits;
}

/** Begins the output of a run. */
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

/** The keys in one order, whether the event was just appended or read again. */
function toLine({ id, runId, offset, turn, kind, actor, payload, ...rest }: LedgerEvent): string {
  return JSON.stringify({ offset, id, runId, turn, kind, actor, payload, ...rest });
}
