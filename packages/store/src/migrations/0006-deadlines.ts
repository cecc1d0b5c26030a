/** Deadline of a request for a validated answer. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Adds the column, and an index of the open requests that have one. */
export const deadlinesMigration: Migration = {
  name: '0006-deadlines',
  up: async ({ db, types }) => {
    await db.schema.alterTable('chat_requests').addColumn('deadline_at', types.integer).execute();
    await sql`create index chat_requests_by_deadline on chat_requests (deadline_at) where deadline_at is not null and status in ('queued', 'running')`.execute(
      db,
    );
  },
};
