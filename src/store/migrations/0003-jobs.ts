/** Owns the table of the queue on SQLite. */
import type { Migration } from './migration.ts';

/** Makes `jobs` where pg-boss is not. */
export const jobsMigration: Migration = {
  name: '0003-jobs',
  up: async ({ dialect, db, createTable, types }) => {
    if (dialect === 'postgres') return;
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
