/** Owns what the playing of a run needs, and what of it a turn is given. */
import type { EnsembleAgent } from '../agent/ensemble-agent.ts';
import type { EventDraft, Ledger } from '../ledger/ledger.ts';
import type { LedgerEvent } from '../ledger/ledger-event.ts';
import type { RunState } from './run-state.ts';

/** What a conductor needs. */
export interface ConductorParts {
  readonly runId: string;
  readonly state: RunState;
  readonly ledger: Ledger;
  readonly agents: ReadonlyMap<string, EnsembleAgent>;
  readonly clock: () => number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: LedgerEvent) => void | Promise<void>;
}

/** What the conductor adds to an event: its run, its turn, and an id made of its place in the run. */
export type ConductorDraft = Omit<EventDraft, 'id' | 'runId' | 'turn'>;

/** A conductor, as far as a turn knows it. */
export interface TurnKeeper {
  readonly parts: ConductorParts;
  /** Appends one event, after those that are on their way. */
  append(actor: string, draft: ConductorDraft): Promise<LedgerEvent>;
}
