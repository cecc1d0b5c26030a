/** Owns what the ledger needs of a database: rows of events, read and appended in one order. */
import type { LedgerEvent } from './ledger-event.ts';

/** An event that has not got its place on the ledger yet. */
export type UnplacedEvent = Omit<LedgerEvent, 'offset'>;

/** Which events to read: those after `offset`, oldest first. */
export interface EventPage {
  readonly afterOffset: number;
  readonly limit: number;
  readonly runId?: string;
  readonly kinds?: readonly string[];
}

/** The rows of a ledger. */
export interface EventRows {
  /** Appends the event, or returns the one that has its id. An offset is seen by readers only after every smaller one. */
  append(event: UnplacedEvent): Promise<LedgerEvent>;
  read(page: EventPage): Promise<readonly LedgerEvent[]>;
  /** Calls back when events may have been appended; returns how to stop. May call too often, and late, never never. */
  onAppend(callback: () => void): () => void;
}
