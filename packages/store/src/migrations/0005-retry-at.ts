/** Time of a chat's next model call, for chats that wait without a worker. */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/** Adds the column. Chats of an older version have no waiting call. */
export const retryAtMigration: Migration = {
  name: '0005-retry-at',
  up: async ({ db, types }) => {
    await db.schema
      .alterTable('chats')
      // A waiting chat has no worker, so that a worker never holds a slot for it.
      .addColumn('retry_at', types.integer, (column) =>
        column.check(sql`retry_at is null or (status = 'running' and runner is null)`),
      )
      .execute();
  },
};
