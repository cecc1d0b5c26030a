/** Event output of commands on a run: the view on stderr, the events or the outcome on stdout. */
import type { EnsembleLimits } from '@truecast/ensemble/internal/scenario/ensemble-scenario';
import type { LedgerEvent } from '@truecast/ensemble/internal/ledger/ledger-event';
import { printResult, type Terminal, toJsonText } from '../terminal/print.ts';
import { createEnsembleDisplay } from './view/ensemble-display.ts';
import { outcomeOf, type RunOutcome } from './run-outcome.ts';

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

/** Options of an event output. */
export interface EventOutputOptions {
  readonly terminal: Terminal;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly title?: string;
  readonly limits?: EnsembleLimits;
}

/** Creates the output of a run. */
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
