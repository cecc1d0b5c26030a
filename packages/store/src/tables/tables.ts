/** All tables: one line each, with the row type in a separate file. */
import type { AgentRunTables } from './agent-runs.ts';
import type { ChatTables } from './chats.ts';
import type { EventsTable } from './events.ts';
import type { JobsTable } from './jobs.ts';
import type { QualityTables } from './quality.ts';

/** Every table of the store, on both databases. */
export interface Tables extends AgentRunTables, ChatTables, QualityTables {
  readonly events: EventsTable;
  readonly jobs: JobsTable;
}
