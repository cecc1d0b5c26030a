/** Storage interface of the ledger: event rows, read and appended in one order. */
import type { LedgerEvent } from './ledger-event.ts';

/** An event without an offset yet. */
export type UnplacedEvent = Omit<LedgerEvent, 'offset'>;

/** Query: events after `offset`, oldest first. */
export interface EventPage {
  readonly afterOffset: number;
  readonly limit: number;
  readonly runId?: string;
  readonly kinds?: readonly string[];
}

export interface EventRows {
  /**
   * Appends the event, or returns the existing one with its id. Readers see an offset only after
   * every smaller one.
   */
  append(event: UnplacedEvent): Promise<LedgerEvent>;
  read(page: EventPage): Promise<readonly LedgerEvent[]>;
  /**
   * Calls back when new events can exist. Returns a function that stops it. Can call too often or
   * late, but always calls.
   */
  onAppend(callback: () => void): () => void;
}
