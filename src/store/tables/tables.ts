/** Owns the list of the tables: one line for each, its row in a file of its own. */
import type { ChatTables } from './chats.ts';
import type { EventsTable } from './events.ts';
import type { JobsTable } from './jobs.ts';

/** Every table of the store, on both databases. */
export interface Tables extends ChatTables {
  readonly events: EventsTable;
  readonly jobs: JobsTable;
}
