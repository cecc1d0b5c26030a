/** Queue storage: a table on SQLite, a schema for pg-boss on Postgres. */
import { makeSchema, type Migration } from './migration.ts';

/**
 * Creates `jobs`, or the schema for pg-boss's tables, because two processes that create the schema
 * at once would collide.
 */
export const jobsMigration: Migration = {
  name: '0003-jobs',
  up: async ({ dialect, db, createTable, types }) => {
    if (dialect === 'postgres') {
      await makeSchema(db, 'truecast_queue');
      return;
    }
    await createTable('jobs')
      .addColumn('id', types.serialKey)
      .addColumn('queue', types.text, (column) => column.notNull())
      .addColumn('key', types.text, (column) => column.notNull())
      .addColumn('payload', types.text, (column) => column.notNull())
      .addColumn('start_after_ms', types.integer, (column) => column.notNull())
      .addColumn('attempt', types.integer, (column) => column.notNull())
      .addColumn('held_until_ms', types.integer, (column) => column.notNull())
      .execute();
    await db.schema.createIndex('jobs_key').on('jobs').columns(['queue', 'key', 'id']).execute();
  },
};
