/** Dependencies of a conductor, and the subset that a turn receives. */
import type { EnsembleAgent } from '../scenario/ensemble-agent.ts';
import type { EventDraft, Ledger } from '../ledger/ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { RunState } from './run-state.ts';

export interface ConductorParts {
  readonly runId: string;
  readonly state: RunState;
  readonly ledger: Ledger;
  readonly agents: ReadonlyMap<string, EnsembleAgent>;
  readonly clock: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LedgerEvent) => void | Promise<void>;
}

/**
 * Fields that the conductor adds to an event: run, turn, and an id derived from its position in the
 * run.
 */
export type ConductorDraft = Omit<EventDraft, 'id' | 'runId' | 'turn'>;

/** The conductor, as a turn sees it. */
export interface TurnKeeper {
  readonly parts: ConductorParts;
  /** Appends one event after all pending ones. */
  append(actor: string, draft: ConductorDraft): Promise<LedgerEvent>;
}
